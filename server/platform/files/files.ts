import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Config } from '../config/config.ts'
import { createDiskStore } from './disk-store.ts'
import type { FileStore } from './file-store.ts'
import { createIncomingFiles, createPrivateFolder, type IncomingFiles } from './incoming-files.ts'
import { createS3Store } from './s3-store.ts'

/** The file operations of the service, for all types of records. */
export interface Files extends IncomingFiles {
  readonly store: FileStore
}

/** Opens the file store. Creates nothing on the disk until the first file arrives. */
export function openFiles({ dataDir, filesBucket }: Pick<Config, 'dataDir' | 'filesBucket'>): Files {
  const folder = path.join(dataDir, 'files')
  if (filesBucket !== null)
    return { ...createIncomingFiles(createPrivateFolder(tmpdir())), store: createS3Store(filesBucket) }
  // The folder is inside the store's folder, because a file can be moved without copying only on the same disk.
  return { ...createIncomingFiles(path.join(folder, 'arriving')), store: createDiskStore(folder) }
}
