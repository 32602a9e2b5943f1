import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Config } from '../config/config.ts'
import { type Arrivals, arrivals, privateFolder } from './arrivals.ts'
import { diskStore } from './disk.ts'
import { s3Store } from './s3.ts'
import type { FileStore } from './store.ts'

/** The file operations of the service, for any kind of record. */
export interface Files extends Arrivals {
  readonly store: FileStore
}

/** Opens the file store. Creates nothing on the disk before the first file arrives. */
export function openFiles({ dataDir, filesBucket }: Pick<Config, 'dataDir' | 'filesBucket'>): Files {
  const folder = path.join(dataDir, 'files')
  if (filesBucket !== null) return { ...arrivals(privateFolder(tmpdir())), store: s3Store(filesBucket) }
  // In the store's folder, because only on the same disk a file can be moved without being copied.
  return { ...arrivals(path.join(folder, 'arriving')), store: diskStore(folder) }
}
