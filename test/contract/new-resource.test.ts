import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../../scripts/processes/service.ts'

/** The files that a new resource needs, by destination. CONTRIBUTING.md contains the checklist. */
const NEW_FILES = {
  'contract/safety-meetings.yaml': 'safety-meetings.yaml',
  'server/platform/database/migrations/9000_safety_meetings.ts': 'migration.ts.txt',
  'server/domain/building/safety-meetings/queries.ts': 'queries.ts.txt',
  'server/domain/building/safety-meetings/operations.ts': 'operations.ts.txt',
}

/**
 * The lines to add to existing files. Each line is added after the first line that starts with `after`, or before it if
 * `after` starts with `<`.
 */
const NEW_LINES: Record<string, [after: string, line: string][]> = {
  'openapi.yaml': [
    ['< - name: Walkthroughs', '  - name: Safety meetings\n    description: Meetings about safety on site.'],
    ['  - { name: Building, tags: [', ''],
    [
      '  /api/ext/communities/{communityId}/starts:',
      '  /api/ext/safety-meetings: { $ref: contract/safety-meetings.yaml#/paths/safety-meetings }',
    ],
    [
      '  /api/ext/safety-meetings:',
      '  /api/ext/safety-meetings/{safetyMeetingId}: { $ref: contract/safety-meetings.yaml#/paths/safety-meeting }',
    ],
    [
      '  proposal.status_changed:',
      '  safety_meeting.created: { $ref: contract/safety-meetings.yaml#/webhooks/safety_meeting.created }',
    ],
    [
      '  permissions:',
      '    safety_meetings:\n      label: Safety meetings\n      read: [owner, admin, superintendent]\n      write: [owner, admin, superintendent]',
    ],
  ],
  'server/interfaces/operations.ts': [
    [
      "import { calendarOperations } from '",
      "import { safetyMeetingOperations } from '../domain/building/safety-meetings/operations.ts'",
    ],
    ['  calendarOperations,', '  safetyMeetingOperations,'],
  ],
}

/** The folders that the test copies and compiles. */
const COPIED = [
  ...['client', 'contract', 'docs', 'examples', 'mock', 'scripts', 'server', 'test', 'web', 'dist/web'],
  ...['openapi.yaml', 'package.json', 'redocly.yaml', 'tsconfig.json', 'vitest.config.ts'],
]

interface Body {
  id: string
  notes: string
  permissions: string[]
  data: { action: string }[]
}

test('adding a resource with an event and a permission requires changes in only six files', {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-resource-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const part of COPIED)
    cpSync(path.join(root, part), path.join(folder, part), {
      recursive: true,
      filter: (source) => !source.includes('node_modules'),
    })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  symlinkSync(path.join(root, 'scripts/codegen/node_modules'), path.join(folder, 'scripts/codegen/node_modules'))

  for (const [file, source] of Object.entries(NEW_FILES))
    cpSync(path.join(root, 'test/support/new-resource', source), path.join(folder, file))
  for (const [file, lines] of Object.entries(NEW_LINES))
    writeFileSync(path.join(folder, file), withLines(readFileSync(path.join(folder, file), 'utf8'), lines))
  expect(Object.keys(NEW_FILES).length + Object.keys(NEW_LINES).length).toBe(6)

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, expect.anything()])
  }
  run('--disable-warning=ExperimentalWarning', 'scripts/generate.ts')
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json')
  run('scripts/lint-contract.ts')

  const environment = createUnlimitedEnvironment({ DATA_DIR: path.join(folder, 'data'), COMPILE_AHEAD: 'false' })
  const { key } = await createBuilder(environment, undefined, folder)
  const service = await startService(environment, { folder })
  onTestFinished(() => void service.kill())
  const send = async (method: string, url: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/api/ext/${url}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    })
    return { status: response.status, body: (response.status === 204 ? {} : await response.json()) as Body }
  }

  const community = await send('POST', 'communities', { name: 'Cedar Ridge', timeZone: 'America/Chicago' })
  const home = await send('POST', 'homes', { communityId: community.body.id, name: 'Lot 1' })
  const created = await send('POST', 'safety-meetings', {
    homeId: home.body.id,
    date: '2026-11-20',
    notes: 'Trusses delivered.',
  })
  expect(created).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^sfm_/), version: 1 } })
  const meeting = `safety-meetings/${created.body.id}`
  expect((await send('POST', 'safety-meetings', { homeId: home.body.id, date: '20', notes: '' })).status).toBe(422)
  expect((await send('PATCH', meeting, { notes: 'Trusses set.' })).body).toMatchObject({
    version: 2,
    notes: 'Trusses set.',
  })
  expect((await send('GET', meeting)).body.notes).toBe('Trusses set.')
  expect((await send('GET', `safety-meetings?homeId=${home.body.id}`)).body.data).toHaveLength(1)
  expect((await send('DELETE', meeting)).status).toBe(204)
  expect((await send('GET', 'safety-meetings')).body.data).toEqual([])

  const entries = await send('GET', `audit-entries?resourceType=safety_meeting`)
  expect(entries.body.data.map(({ action }) => action)).toEqual([
    ...['safety_meeting.archived', 'safety_meeting.updated', 'safety_meeting.created'],
  ])
  const event = await send('GET', 'events?type=safety_meeting.created')
  expect(event.body.data).toMatchObject([{ data: { object: { id: created.body.id } } }])
  expect((await send('GET', 'me')).body.permissions).toContain('safety_meetings:write')
  expect(await service.stop()).toBe(0)
})

function withLines(source: string, added: readonly [after: string, line: string][]): string {
  return added.reduce((text, [after, line]) => {
    const lines = text.split('\n')
    const isBefore = after.startsWith('<')
    const at = lines.findIndex((each) => each.startsWith(isBefore ? ` ${after.slice(1)}` : after))
    expect(at, `a line that begins with "${after}"`).toBeGreaterThanOrEqual(0)
    if (line === '') lines[at] = (lines[at] ?? '').replace('tags: [', 'tags: [Safety meetings, ')
    else lines.splice(isBefore ? at : at + 1, 0, line)
    return lines.join('\n')
  }, source)
}
