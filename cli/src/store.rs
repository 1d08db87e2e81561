//! The proof store on disk: one database in a folder, shared by processes and by builds of the program.
//!
//! A prover is a program with its solver, by name; each sees its own proofs only. A run adds one segment: the proofs
//! that it made, serialised by [`tribunal_verifier`]'s cache. Several processes may read and add at once: each opens
//! the database for one short transaction and waits for the others, so none loses another's proofs.
//!
//! The database is bounded in size and age: provers that were not used for [`LONGEST_UNUSED`] are evicted, and of the
//! others the least recently used, until [`MOST_BYTES`] hold the rest. Many segments of a prover are merged when it is
//! next used.

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Provers, and when each was last used, in seconds since 1970.
const PROVERS: TableDefinition<&str, u64> = TableDefinition::new("provers");
/// Segments of a prover, numbered from 0.
const SEGMENTS: TableDefinition<(&str, u64), &[u8]> = TableDefinition::new("segments");

/// The most bytes of all segments.
const MOST_BYTES: u64 = 512 << 20;
/// The longest time without use, in seconds.
const LONGEST_UNUSED: u64 = 60 * 24 * 3600;
/// Segments of one prover, beyond which they become one.
const MOST_SEGMENTS: usize = 16;
/// The longest wait for another process that has the database open.
const PATIENCE: Duration = Duration::from_secs(30);

/// The database of a folder. Nothing is open between calls.
pub struct Store {
    path: PathBuf,
}

/// The holdings of the database for one prover.
#[derive(Debug, PartialEq, Eq)]
pub struct Holdings {
    pub prover: String,
    /// The size of all its segments.
    pub bytes: u64,
    pub segments: usize,
    /// The time since its last use, in seconds.
    pub unused_for: u64,
}

impl Store {
    pub fn in_folder(folder: &Path) -> Store {
        Store { path: folder.join("proofs.redb") }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The segments of a prover, which counts as used now. A file that is damaged, or no database, holds nothing: it is
    /// removed.
    pub fn load(&self, prover: &str) -> Result<Vec<Vec<u8>>, redb::Error> {
        self.write(|transaction| {
            transaction.open_table(PROVERS)?.insert(prover, now())?;
            let segments = transaction.open_table(SEGMENTS)?;
            let rows = segments.range((prover, 0)..=(prover, u64::MAX))?;
            rows.map(|row| Ok(row?.1.value().to_vec())).collect()
        })
    }

    /// Adds a segment. Where a prover has many, `merge` makes one of them all.
    pub fn add(&self, prover: &str, segment: &[u8], merge: impl Fn(&[Vec<u8>]) -> Vec<u8>) -> Result<(), redb::Error> {
        self.write(|transaction| {
            transaction.open_table(PROVERS)?.insert(prover, now())?;
            let mut segments = transaction.open_table(SEGMENTS)?;
            let mut held = vec![];
            for row in segments.range((prover, 0)..=(prover, u64::MAX))? {
                let (key, value) = row?;
                held.push((key.value().1, value.value().to_vec()));
            }
            let number = held.last().map_or(0, |(number, _)| number + 1);
            if held.len() < MOST_SEGMENTS {
                segments.insert((prover, number), segment)?;
            } else {
                for (number, _) in &held {
                    segments.remove((prover, *number))?;
                }
                let all: Vec<Vec<u8>> = held.into_iter().map(|(_, bytes)| bytes).chain([segment.to_vec()]).collect();
                segments.insert((prover, 0), merge(&all).as_slice())?;
            }
            drop(segments);
            evict(transaction, MOST_BYTES, LONGEST_UNUSED)
        })
    }

    /// All holdings, the most recently used first.
    pub fn holdings(&self) -> Result<Vec<Holdings>, redb::Error> {
        match self.path.exists() {
            true => holdings(&self.open()?),
            false => Ok(vec![]),
        }
    }

    /// Removes everything.
    pub fn clear(&self) -> std::io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// One transaction, whole or not at all.
    fn write<T>(&self, run: impl Fn(&WriteTransaction) -> Result<T, redb::Error>) -> Result<T, redb::Error> {
        let attempt = || -> Result<T, redb::Error> {
            let database = self.open()?;
            let transaction = database.begin_write()?;
            let value = run(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        match attempt() {
            Err(error) if is_damage(&error) => {
                // The old contents are lost either way; the error that counts is that of the new file.
                let _ = self.clear();
                attempt()
            }
            result => result,
        }
    }

    /// Opens the database, or makes it; waits for another process that has it open.
    fn open(&self) -> Result<Database, redb::Error> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match Database::create(&self.path) {
                Err(DatabaseError::DatabaseAlreadyOpen) if started.elapsed() < PATIENCE => {
                    std::thread::sleep(pause);
                    pause = (2 * pause).min(Duration::from_millis(100));
                }
                opened => return Ok(opened?),
            }
        }
    }
}

/// True if the file itself is at fault, not the disk or the rights.
fn is_damage(error: &redb::Error) -> bool {
    match error {
        redb::Error::Corrupted(_) | redb::Error::UpgradeRequired(_) | redb::Error::RepairAborted => true,
        redb::Error::TableTypeMismatch { .. } | redb::Error::TypeDefinitionChanged { .. } => true,
        redb::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}

fn holdings(database: &Database) -> Result<Vec<Holdings>, redb::Error> {
    let transaction = database.begin_read()?;
    let mut holdings = vec![];
    let (Ok(provers), Ok(segments)) = (transaction.open_table(PROVERS), transaction.open_table(SEGMENTS)) else {
        return Ok(holdings);
    };
    for row in provers.iter()? {
        let (prover, used) = row?;
        let (mut bytes, mut count) = (0, 0);
        for segment in segments.range((prover.value(), 0)..=(prover.value(), u64::MAX))? {
            bytes += segment?.1.value().len() as u64;
            count += 1;
        }
        let (prover, unused_for) = (prover.value().to_string(), now().saturating_sub(used.value()));
        holdings.push(Holdings { prover, bytes, segments: count, unused_for });
    }
    holdings.sort_by_key(|holding| holding.unused_for);
    Ok(holdings)
}

/// Removes provers that were not used for `longest_unused` seconds, and the least recently used until `most_bytes` are
/// left. The most recently used one stays.
fn evict(transaction: &WriteTransaction, most_bytes: u64, longest_unused: u64) -> Result<(), redb::Error> {
    let mut provers = transaction.open_table(PROVERS)?;
    let mut segments = transaction.open_table(SEGMENTS)?;
    let mut used = vec![];
    for row in provers.iter()? {
        let (prover, time) = row?;
        used.push((time.value(), prover.value().to_string()));
    }
    used.sort_unstable_by(|a, b| b.cmp(a));
    let mut total = 0;
    for (place, (time, prover)) in used.iter().enumerate() {
        let prover = prover.as_str();
        let mut numbers = vec![];
        for row in segments.range((prover, 0)..=(prover, u64::MAX))? {
            let (key, value) = row?;
            total += value.value().len() as u64;
            numbers.push(key.value().1);
        }
        if place > 0 && (total > most_bytes || now().saturating_sub(*time) > longest_unused) {
            provers.remove(prover)?;
            for number in numbers {
                segments.remove((prover, number))?;
            }
        }
    }
    Ok(())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_folder(folder.path());
        (folder, store)
    }

    fn joined(segments: &[Vec<u8>]) -> Vec<u8> {
        segments.concat()
    }

    #[test]
    fn provers_see_their_own_segments_and_many_become_one() {
        let (_folder, store) = store();
        for number in 0..=MOST_SEGMENTS as u8 {
            store.add("this", &[number], joined).unwrap();
            assert_eq!(store.load("this").unwrap().concat(), (0..=number).collect::<Vec<u8>>());
        }
        store.add("another", b"x", joined).unwrap();
        assert_eq!(store.load("this").unwrap().len(), 1);
        assert_eq!(store.load("another").unwrap(), [b"x"]);
        assert!(store.load("a third").unwrap().is_empty());
    }

    #[test]
    fn threads_with_databases_of_their_own_lose_nothing() {
        let (folder, store) = store();
        std::thread::scope(|scope| {
            for name in 0..4_u8 {
                let store = Store::in_folder(folder.path());
                scope
                    .spawn(move || (0..5_u8).for_each(|round| store.add("this", &[5 * name + round], joined).unwrap()));
            }
        });
        let mut all = store.load("this").unwrap().concat();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<u8>>());
    }

    #[test]
    fn what_is_old_or_too_much_goes_first() {
        let (_folder, store) = store();
        let age = |prover: &str, seconds: u64| {
            store.add(prover, &[0; 100], joined).unwrap();
            store
                .write(|transaction| {
                    Ok(transaction.open_table(PROVERS)?.insert(prover, now() - seconds).map(|_| ())?)
                })
                .unwrap();
        };
        [("oldest", 1000), ("older", 500), ("old", 100), ("new", 0)]
            .into_iter()
            .for_each(|(prover, seconds)| age(prover, seconds));
        let names = || store.holdings().unwrap().into_iter().map(|holding| holding.prover).collect::<Vec<_>>();
        store.write(|transaction| evict(transaction, 10_000, 700)).unwrap();
        assert_eq!(names(), ["new", "old", "older"]);
        store.write(|transaction| evict(transaction, 250, 700)).unwrap();
        assert_eq!(names(), ["new", "old"]);
        store.write(|transaction| evict(transaction, 0, 0)).unwrap();
        assert_eq!(names(), ["new"]);
        store.clear().unwrap();
        assert!(store.holdings().unwrap().is_empty());
    }

    #[test]
    fn a_damaged_file_holds_nothing_and_ends_nothing() {
        let (_folder, store) = store();
        store.add("this", &[7; 5000], joined).unwrap();
        let whole = std::fs::read(store.path()).unwrap();
        for place in (0..whole.len()).step_by(whole.len() / 97) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0xff;
            std::fs::write(store.path(), &damaged).unwrap();
            let _ = store.load("this");
            std::fs::write(store.path(), &whole[..place]).unwrap();
            assert!(store.load("this").unwrap().concat().len() <= 5000);
        }
        std::fs::write(store.path(), b"no database").unwrap();
        assert!(store.load("this").unwrap().is_empty());
        store.add("this", b"x", joined).unwrap();
        assert_eq!(store.load("this").unwrap(), [b"x"]);
    }
}
