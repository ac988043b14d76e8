import { ftruncateSync, writeSync } from 'node:fs'
import type { Disk } from '../../src/lib/fs/line-file.ts'

/** A disk that may be out of room, and may then refuse to take back what it wrote in part. */
export function failingDisk(room = Number.POSITIVE_INFINITY): Disk & { room: number; truncates: boolean } {
  return {
    room,
    truncates: true,
    write(file, bytes) {
      if (this.room === 0)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      const written = writeSync(file, bytes.subarray(0, Math.min(this.room, bytes.length)))
      this.room -= written
      return written
    },
    truncate(file, length) {
      if (!this.truncates) throw Object.assign(new Error('EIO: i/o error, ftruncate'), { code: 'EIO' })
      ftruncateSync(file, length)
    },
  }
}
