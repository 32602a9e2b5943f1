import { sql } from 'kysely'
import { recordChange, type Tenant, type WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DueSql } from '../../platform/due/find-due-jobs.ts'
import { defineResource } from '../../platform/resources/resource.ts'
import { IS_SHARED_SQL } from './record-types.ts'

export const { list, find, findAll, lock, make, insertAll, update, archive } = defineResource({
  schema: 'Attachment',
  computed: { shared: IS_SHARED_SQL },
  filters: { recordTypes: (types) => `t."recordType" = any(${types})` },
})

/** Sets whether vendors can see a new file. */
export async function setInitialSharing({ db, organizationId }: WriteCall, id: string, shared: boolean): Promise<void> {
  await db
    .updateTable('attachments')
    .set({ shared })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

export async function updateSharing(call: WriteCall, id: string, shared: boolean): Promise<void> {
  await call.db
    .updateTable('attachments')
    .set((set) => ({ shared, version: set('version', '+', 1), updatedAt: call.now }))
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', id)
    .execute()
  recordChange(call, id, 'updated', ['shared'])
}

/** Returns the key of an attachment's content in the store. */
export function toStorageKey(organizationId: string, attachmentId: string): string {
  return `${organizationId}/${attachmentId}`
}

export async function countFilesOfRecord({ db, organizationId }: Tenant, recordId: string): Promise<number> {
  const { count } = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('recordId', '=', recordId)
    .where('archivedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the total size of the organization's files in bytes. */
export async function findUsedBytes({ db, organizationId }: Tenant): Promise<number> {
  const row = await db
    .selectFrom('fileUsage')
    .select('bytes')
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return row?.bytes ?? 0
}

/**
 * Adds bytes to the storage count of the organization, and returns the new total. A negative number subtracts bytes.
 * Locks the count until the transaction ends.
 */
export async function addUsedBytes({ db, organizationId }: WriteCall, bytes: number): Promise<number> {
  const { bytes: sum } = await db
    .insertInto('fileUsage')
    .values({ organizationId, bytes })
    .onConflict((conflict) =>
      conflict.column('organizationId').doUpdateSet({ bytes: sql`"fileUsage"."bytes" + excluded."bytes"` }),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow()
  return sum
}

/** Stores the base64 content of a small file in the database. `storeSmallFiles` later moves it to the store. */
export async function insertContent(
  { db, organizationId, now }: WriteCall,
  attachmentId: string,
  content: string,
): Promise<void> {
  await db.insertInto('fileArrivals').values({ organizationId, attachmentId, content, createdAt: now }).execute()
}

/** Returns the base64 content if it has not been moved to the store yet; otherwise, undefined. */
export async function findContent({ db, organizationId }: Tenant, attachmentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('fileArrivals')
    .select('content')
    .where('organizationId', '=', organizationId)
    .where('attachmentId', '=', attachmentId)
    .executeTakeFirst()
  return row?.content
}

export async function deleteContent({ db, organizationId }: Tenant, attachmentId: string): Promise<void> {
  await db
    .deleteFrom('fileArrivals')
    .where('organizationId', '=', organizationId)
    .where('attachmentId', '=', attachmentId)
    .execute()
}

/** Schedules the removal of the attachment's content from the store at or after `removeAfter`. */
export async function scheduleFileRemoval(
  { db, organizationId }: Tenant,
  attachmentId: string,
  removeAfter: Date,
): Promise<void> {
  await db.insertInto('looseFiles').values({ organizationId, attachmentId, removeAfter }).execute()
}

export async function deleteScheduledRemoval({ db, organizationId }: Tenant, attachmentId: string): Promise<void> {
  await db
    .deleteFrom('looseFiles')
    .where('organizationId', '=', organizationId)
    .where('attachmentId', '=', attachmentId)
    .execute()
}

/** Returns the IDs of files in order, starting after the given ID, except deleted files. */
export async function listFilesAfter(
  { db, organizationId }: Tenant,
  id: string,
  max: number,
): Promise<{ id: string; fileName: string; recordId: string }[]> {
  return db
    .selectFrom('attachments')
    .select(['id', 'fileName', 'recordId'])
    .where('organizationId', '=', organizationId)
    .where('id', '>', id)
    .where('archivedAt', 'is', null)
    .orderBy('id')
    .limit(max)
    .execute()
}

interface FileReference {
  organizationId: string
  attachmentId: string
}

export const toUnstoredFilesSql: DueSql = () => sql`select "organizationId" from "fileArrivals"`

/** Returns files of any organization whose content is not in the store yet, oldest first. */
export async function listUnstoredFiles(db: Db, max: number): Promise<FileReference[]> {
  return db
    .selectFrom('fileArrivals')
    .select(['organizationId', 'attachmentId'])
    .orderBy('createdAt')
    .limit(max)
    .execute()
}

/** Returns files of any organization whose content can now be removed. */
export async function listRemovableFiles(db: Db, now: Date, max: number): Promise<FileReference[]> {
  return db
    .selectFrom('looseFiles')
    .select(['organizationId', 'attachmentId'])
    .where('removeAfter', '<=', now.toISOString())
    .orderBy('removeAfter')
    .limit(max)
    .execute()
}
