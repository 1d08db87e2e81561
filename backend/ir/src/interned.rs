//! Tables of values that operands name by number. Equal values have one number.

use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Index;

/// Values of type `V`, each once, by keys of type `K`.
#[derive(Debug)]
pub struct Interned<K: EntityRef, V> {
    values: PrimaryMap<K, V>,
    keys: FxHashMap<V, K>,
}

impl<K: EntityRef, V> Default for Interned<K, V> {
    fn default() -> Interned<K, V> {
        Interned { values: PrimaryMap::new(), keys: FxHashMap::default() }
    }
}

impl<K: EntityRef, V: Clone + Eq + Hash> Interned<K, V> {
    /// The key of `value`: the same one for equal values.
    pub fn intern<Q: ?Sized + Eq + Hash + ToOwned<Owned = V>>(&mut self, value: &Q) -> K
    where
        V: Borrow<Q>,
    {
        if let Some(&key) = self.keys.get(value) {
            return key;
        }
        let key = self.values.push(value.to_owned());
        self.keys.insert(value.to_owned(), key);
        key
    }

    /// The value of `key`; `None` if it is of another function.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key)
    }

    /// Every value, in the order in which they came.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.values.values()
    }
}

/// Equal values under equal keys.
impl<K: EntityRef, V: PartialEq> PartialEq for Interned<K, V> {
    fn eq(&self, other: &Interned<K, V>) -> bool {
        self.values == other.values
    }
}

impl<K: EntityRef, V> Index<K> for Interned<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.values[key]
    }
}

impl<K: EntityRef, V: Clone> Clone for Interned<K, V> {
    fn clone(&self) -> Interned<K, V> {
        let mut clone = Interned::default();
        clone.clone_from(self);
        clone
    }

    /// Reuses the capacity of `self`.
    fn clone_from(&mut self, source: &Interned<K, V>) {
        self.values.clear();
        self.values.extend(source.values.values().cloned());
        self.keys.clone_from(&source.keys);
    }
}
