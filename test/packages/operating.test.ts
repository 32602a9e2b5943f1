import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { isKnownVariable } from '../../server/platform/config/environment-variables.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Values of variables that cause the service to read other variables. */
const GIVEN: Record<string, string> = {
  DATABASE_URL: 'postgres://plumbline@localhost/plumbline',
  FILES_S3_URL: 'https://s3.example.com/bucket',
  FILES_S3_ACCESS_KEY_ID: 'id',
  FILES_S3_SECRET_ACCESS_KEY: 'secret',
  SMTP_URL: 'smtp://localhost:587',
  MAIL_FROM: 'builder@example.com',
}

/** Variables that the service reads before its configuration. For example, the compile cache reads XDG_CACHE_HOME. */
const READ_ELSEWHERE = ['XDG_CACHE_HOME']

/** Variables that npm sets, not operators. */
const SET_BY_NPM = ['npm_lifecycle_event']

test('configuration.md lists exactly the variables that the service reads', () => {
  const names = new Set(READ_ELSEWHERE)
  readConfig(
    new Proxy(GIVEN, {
      get(provided, name: string) {
        names.add(name)
        return provided[name]
      },
    }),
  )
  for (const name of SET_BY_NPM) names.delete(name)
  const rows = read('docs/operating/configuration.md').matchAll(/^\| (`[^|]+) \|/gm)
  const documented = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(documented.toSorted()).toEqual([...names].toSorted())
  expect(documented.filter((name) => !isKnownVariable(name))).toEqual([])
})
