import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** The migration itself builds the indexes on the new columns, which do not exist before. */
export const ahead: readonly LargeIndex[] = [
  { name: 'attachments_homeId', on: '"attachments" ("organizationId", "homeId", "id")' },
  { name: 'attachments_kind', on: '"attachments" ("organizationId", "kind", "id")' },
  { name: 'attachments_isClassified', on: '"attachments" ("organizationId", "id") where not "isClassified"' },
]

/**
 * Photos of homes: adds the kind of each file, the time at which a photo was taken, its size, and the home of the file.
 * A job adds the home and the kind of existing files in batches. Until then, "isClassified" is false for them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "attachments"
      add column "homeId" text collate "C",
      add column "kind" text not null default 'document',
      add column "stage" text,
      add column "caption" text,
      add column "takenAt" timestamptz(3),
      add column "width" integer,
      add column "height" integer,
      add column "sharedWithOwner" boolean not null default false,
      add column "isClassified" boolean not null default false,
      add constraint "attachments_homeId_fkey" foreign key ("organizationId", "homeId")
        references "homes" ("organizationId", "id") not valid`.execute(db)
  // Existing rows receive the first default value, and new rows the second.
  await sql`alter table "attachments" alter column "isClassified" set default true`.execute(db)
  await createIndexes(db, ahead)
}
