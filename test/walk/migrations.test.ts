import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { LAST_WITHOUT_RULES, listMigrationErrors, WITH_DOWNTIME } from '../../scripts/migration-rules.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../server/platform/database/migrations')
const migrations = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => ({ name: path.basename(file, '.ts'), text: readFileSync(path.join(FOLDER, file), 'utf8') }))

describe('a migration blocks no request and keeps the previous version working', () => {
  const ruled = migrations.filter(({ name }) => name > LAST_WITHOUT_RULES && !WITH_DOWNTIME.has(name))
  test.for(ruled)('the migration $name follows the rules for migrations', ({ name, text }) => {
    const before = migrations.filter((other) => other.name < name).map((other) => other.text)
    expect(listMigrationErrors(text, before.join('\n'))).toEqual([])
  })

  test('the migration after which the migration rules apply exists', () => {
    const names = migrations.map(({ name }) => name)
    for (const name of [LAST_WITHOUT_RULES, ...WITH_DOWNTIME]) expect(names).toContain(name)
  })

  test.for([
    ['create index "homes_x" on "homes" ("organizationId")', /as `ahead`/],
    ['create unique index on "homes" ("organizationId", "x")', /as `ahead`/],
    ['alter table "homes" add column "at" timestamptz default now()', /computed default/],
    [
      'alter table "homes" add column "a" text, add column "b" text generated always as (lower("a")) stored',
      /computed column/,
    ],
    ['alter table "homes" alter column "name" type varchar', /the new type/],
    ['alter table "homes" alter column "basePrice" type numeric(18,3)', /the new type/],
    ['alter table "homes" alter column "name" set not null', /reads every row/],
    ['alter table "homes" add constraint "homes_x_check" check ("x" > 0)', /not valid/],
    ['alter table "homes" add constraint "homes_x_fkey" foreign key ("x") references "x" ("id")', /not valid/],
    [
      'alter table "homes" add constraint "homes_x_fkey" foreign key ("a", "x") references "x" ("a", "id")',
      /not valid/,
    ],
    ['alter table "homes" add constraint "homes_x_key" unique ("x")', /using index/],
    ['update "homes" set "x" = 1', /in batches/],
    ['alter table "homes" drop column "x"', /removes something/],
    ['alter table "homes" rename to "houses"', /removes something/],
  ] as const)('the migration %s is rejected', ([statement, fault]) => {
    expect(listMigrationErrors(`await sql\`${statement}\`.execute(db)`, '').join()).toMatch(fault)
  })

  test.for([
    'create table "houses" ("id" text); create index "houses_id" on "houses" ("id")',
    'create index "searchQueue_x" on "searchQueue" ("place")',
    'alter table "homes" add column "x" text',
    'alter table "homes" alter column "basePrice" type numeric, alter column "saleAmount" type numeric',
    `alter table "homes" add column "x" text not null default 'no'`,
    'alter table "homes" add constraint "homes_x_check" check ("x" > 0) not valid',
    'alter table "homes" add constraint "homes_x_fkey" foreign key ("a", "x") references "x" ("a", "id") not valid',
    'alter table "homes" validate constraint "homes_x_check"',
    'alter table "homes" add constraint "homes_x_key" unique using index "homes_x"',
    'create function "f"() returns trigger as $$ begin update "homes" set "x" = 1; end $$',
    '-- \n// Unused since version 1.3.\nalter table "homes" drop column "x"',
  ])('the migration %s is allowed', (statement) => {
    expect(listMigrationErrors(`await sql\`${statement}\`.execute(db)`, '')).toEqual([])
  })

  test('a migration can make a column not null after a validated check has proved that it contains no null', () => {
    const text = 'alter table "homes" alter column "name" set not null'
    expect(listMigrationErrors(text, 'alter table "homes" validate constraint "homes_name_not_null"')).toEqual([])
  })
})
