"""ASC MHL: the hashes of a folder's files in a manifest beside them, and the chain that vouches for the manifests.

The format is that of the American Society of Cinematographers, as its schema (github.com/ascmitc/mhl, xsd/) and the
reference tool `ascmhl` have it. A folder's history lies in `ascmhl/`: manifests `0001_<folder>_<time>.mhl`, one a
generation, and `ascmhl_chain.xml` with the C4 id of each.
"""

from graycard.mhl.chain import CHAIN_FILE, HISTORY_FOLDER, Generation, chain_text, manifest_name, read_chain
from graycard.mhl.folders import FolderDigests, FolderSum
from graycard.mhl.hashes import Hasher, HashFormat, digest_of, new_hasher, text_of
from graycard.mhl.history import History, Known, load_history
from graycard.mhl.ignoring import USUAL_PATTERNS, Ignored
from graycard.mhl.reading import Listed, ListedHash, ManifestReader
from graycard.mhl.writing import FileHash, FolderHash, Head, is_listable, write_manifest

__all__ = [
    "CHAIN_FILE",
    "HISTORY_FOLDER",
    "USUAL_PATTERNS",
    "FileHash",
    "FolderDigests",
    "FolderHash",
    "FolderSum",
    "Generation",
    "HashFormat",
    "Hasher",
    "Head",
    "History",
    "Ignored",
    "Known",
    "Listed",
    "ListedHash",
    "ManifestReader",
    "chain_text",
    "digest_of",
    "is_listable",
    "load_history",
    "manifest_name",
    "new_hasher",
    "read_chain",
    "text_of",
    "write_manifest",
]
