"""What one document may cost. Ordinary documents stay far below."""

MEMORY_BYTES = 1024**3
CPU_SECONDS = 30
WALL_SECONDS = 60
OPEN_FILES = 64
# Text of a document at the upload limit, and its JSON quoting, fits.
OUTPUT_BYTES = 160 * 1024**2
MAXIMUM_BLOCKS = 400_000
OUT_OF_MEMORY_STATUS = 3
