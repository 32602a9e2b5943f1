import { startPostgres } from '../processes/postgres.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../processes/service.ts'
import { computeMedian } from './compute-median.ts'
import { createRecord } from './requests.ts'

/**
 * Measures a superintendent's day with the most homes and tasks that it can contain: `npm run bench -- field-day`. The
 * response is the pack with which the phone works offline, so its size and time are limited.
 */
const HOMES = 60
const TASKS = 400
const VENDORS = 40
const ITEMS = 120
const LOGS = 60
const REPETITIONS = 30
const MAX_MS = 50
const MAX_BYTES = 512_000
const TRADES = ['framing', 'painting', 'plumbing', 'electrical', 'drywall', 'roofing', 'windows', 'hvac']

export async function measureFieldDay(): Promise<string[]> {
  const postgres = await startPostgres({})
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const environment = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database('field') })
  const { key } = await createBuilder(environment)
  const service = await startService(environment)
  const headers = { authorization: `Bearer ${key}` }
  const add = (path: string, body: object) => createRecord(service, key, `/api/ext/${path}`, body)

  const users = await fetch(`${service.url}/api/ext/users`, { headers })
  const { data } = (await users.json()) as { data: { id: string }[] }
  const superintendentId = data[0]?.id
  const communityId = await add('communities', { name: 'Juniper Ridge', status: 'active' })
  const vendorIds: string[] = []
  for (let i = 0; i < VENDORS; i++)
    vendorIds.push(await add('vendors', { companyName: `Vendor ${i} Trading Ltd`, phone: '+1 512 555 0142' }))
  const homeIds: string[] = []
  for (let i = 0; i < HOMES; i++) homeIds.push(await add('homes', { name: `Lot ${i}`, communityId, superintendentId }))
  const checklist = Array.from({ length: 5 }, (_, i) => ({ text: `Check the straps and the nails of part ${i}` }))
  const last = new Map<string, string>()
  for (let i = 0; i < TASKS; i++) {
    const homeId = homeIds[i % HOMES] ?? ''
    const before = last.get(homeId)
    const scope = TRADES[i % TRADES.length]
    const task = { homeId, name: `Task ${i} of the schedule`, scope, vendorId: vendorIds[i % VENDORS], checklist }
    last.set(
      homeId,
      await add('tasks?createScopes=true', {
        ...task,
        durationDays: 1,
        ...(before !== undefined && { predecessors: [{ taskId: before }] }),
      }),
    )
  }
  for (let i = 0; i < ITEMS; i++)
    await add('punch-items', { homeId: homeIds[i % HOMES], location: 'Kitchen', description: `Item ${i} of the walk.` })
  for (let i = 0; i < LOGS; i++)
    await add('daily-logs', { homeId: homeIds[i % HOMES], workDone: 'Walls are plumb and lined.' })
  for (const homeId of homeIds.slice(0, 5)) await add('walkthroughs', { homeId, kind: 'final' })

  const times: number[] = []
  let bytes = 0
  let shown = ''
  for (let i = 0; i < REPETITIONS; i++) {
    const started = performance.now()
    const response = await fetch(`${service.url}/api/ext/field/day?superintendentId=${superintendentId}`, { headers })
    const text = await response.text()
    times.push(performance.now() - started)
    bytes = Buffer.byteLength(text)
    const { homes, tasks, truncated } = JSON.parse(text)
    shown = `${homes.length} homes, ${tasks.length} tasks, truncated: ${truncated.join(', ') || 'nothing'}`
  }
  await service.stop()
  await postgres.stop()
  const ms = computeMedian(times.slice(REPETITIONS / 3))
  const isKept = ms < MAX_MS && bytes <= MAX_BYTES
  return [
    '| measured | median ms | best ms | kB | wanted | |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    `| day of a superintendent (${shown}) | ${ms.toFixed(1)} | ${Math.min(...times).toFixed(1)} | ${(bytes / 1000).toFixed(0)} | < ${MAX_MS} ms, ${MAX_BYTES / 1000} kB | ${isKept ? 'holds' : 'MISSED'} |`,
  ]
}
