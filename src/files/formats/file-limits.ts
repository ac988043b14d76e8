/** More than any resource needs, and small enough to hold in memory. */
export const maxFileBytes = 50 * 1024 * 1024
/** Limit including content written by callyard. */
export const maxOwnFileBytes = 3 * maxFileBytes
