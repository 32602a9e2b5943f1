import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uploadFile } from '../../../test/support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { ConfigError, readConfig } from '../../platform/config/config.ts'

/** The name of the folder contains characters that a shell would interpret. */
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline scan; $(touch x) -'))
const scanner = path.join(folder, 'scanner')
const notes = path.join(folder, 'notes')

let plumbline: TestPlumbline
let recordId: string
beforeAll(async () => {
  // The scanner stores its arguments and environment. The scanner's verdict depends on the content of the file.
  writeFileSync(
    scanner,
    `#!/bin/sh
printf '%s\\n' "$#" "$1" "$2" >> "$2"; env >> "$2"
grep -q EICAR "$3" && exit 1
grep -q BROKEN "$3" && exit 2
grep -q SLOW "$3" && exec sleep 60
exit 0
`,
  )
  chmodSync(scanner, 0o700)
  plumbline = await startTestPlumbline({
    ...{ ATTACHMENT_SCAN: `"${scanner}" --quiet "${notes}"`, ATTACHMENT_SCAN_SECONDS: '1' },
  })
  recordId = (await plumbline.post('/api/ext/messages', { body: 'Files', recipientRoles: ['owner'] })).body.id
})
afterAll(async () => {
  await plumbline.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a file is stored only if the virus scanner finds it clean', async () => {
  for (const [text, code] of [
    ['EICAR', 'notClean'],
    ['BROKEN', 'notScanned'],
    ['SLOW', 'notScanned'],
  ] as const) {
    const { status, body } = await uploadFile(plumbline, Buffer.from(text), { recordId })
    expect([text, status, body.errors[0].code]).toEqual([text, 422, code])
  }
  expect((await plumbline.get(`/api/ext/attachments?recordId=${recordId}`)).body.data).toEqual([])
  expect((await uploadFile(plumbline, Buffer.from('clean'), { recordId })).status).toBe(201)
})

test('the virus scanner gets its arguments but no secrets', async () => {
  await uploadFile(plumbline, Buffer.from('clean'), { recordId })
  const noted = readFileSync(notes, 'utf8')
  expect(noted.split('\n').slice(0, 3)).toEqual(['3', '--quiet', notes])
  expect(noted).not.toMatch(/ENCRYPTION_KEY|DATABASE_URL|VITEST/)
  expect(existsSync('x')).toBe(false)
})

test('a file attached by a skill is scanned', async () => {
  const input = { recordId, fileName: 'a.txt', content: Buffer.from('EICAR').toString('base64') }
  const { status, body } = await plumbline.post('/api/ext/execute', { skill: 'uploadAttachment', input })
  expect([status, body.errors[0].code]).toEqual([422, 'notClean'])
})

test('an upload is rejected if the virus scanner is missing', async () => {
  const without = await startTestPlumbline({ ATTACHMENT_SCAN: path.join(folder, 'nothing') })
  const { body } = await without.post('/api/ext/messages', { body: 'Files', recipientRoles: ['owner'] })
  const refused = await uploadFile(without, Buffer.from('clean'), { recordId: body.id })
  expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'notScanned'])
  await without.stop()
})

test('an invalid scan command prevents startup', async () => {
  expect(() =>
    readConfig({ ATTACHMENT_SCAN: 'scan "half', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }),
  ).toThrow(ConfigError)
})
