import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Config } from '../config/config.ts'
import { createDiskStore } from './disk-store.ts'
import type { FileStore } from './file-store.ts'
import { createIncomingFiles, createPrivateFolder, type IncomingFiles } from './incoming-files.ts'
import { createS3Store } from './s3-store.ts'

/** The file operations of the service, which all types of records use. */
export interface Files extends IncomingFiles {
  readonly store: FileStore
}

/** Opens the file store. Creates no folders on the disk before the first file arrives. */
export function openFiles({ dataDir, filesBucket }: Pick<Config, 'dataDir' | 'filesBucket'>): Files {
  const folder = path.join(dataDir, 'files')
  if (filesBucket !== null)
    return { ...createIncomingFiles(createPrivateFolder(tmpdir())), store: createS3Store(filesBucket) }
  // The folder is inside that of the store, because files can be moved without copying only on the same disk.
  return { ...createIncomingFiles(path.join(folder, 'arriving')), store: createDiskStore(folder) }
}
