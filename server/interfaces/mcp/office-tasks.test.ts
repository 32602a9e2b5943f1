import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createDemo } from '../../operators/demo/create-demo.ts'

/**
 * Simulates the tasks of an assistant in the office of the demo builder. Counts the calls that a sensible agent makes
 * for 20 tasks and the tokens that it must read. The agent searches with the user's words and tries changes first with
 * a dry run. The agent requests the description of a skill only if the search results do not explain its inputs.
 */
interface Task {
  request: string
  skill: string
  input: object
  isDescribed?: true
  dryRun?: true
}

const TASKS: readonly Task[] = [
  {
    request: 'Who still owes us a framing number for Lot 15?',
    skill: 'listInvitations',
    input: { bidRequestId: 'Framing, Lot 15' },
  },
  {
    request: 'Put the framing bids for Lot 15 side by side.',
    skill: 'compareBids',
    input: { bidRequestId: 'Framing, Lot 15' },
  },
  {
    ...{ request: 'Which of the framing bids for Lot 15 should I take?', skill: 'recommendAward', isDescribed: true },
    input: { bidRequestId: 'Framing, Lot 15', weights: { price: 0.6, schedule: 0.3, quality: 0.1, compliance: 0 } },
  },
  {
    request: 'Which electricians could I ask for Barton Bluff?',
    skill: 'suggestVendorsForScope',
    input: { scope: 'electrical', communityId: 'Barton Bluff' },
  },
  {
    ...{
      request: 'What does the P2100 with elevation C cost us in materials in Juniper Ridge today?',
      skill: 'priceTakeoff',
    },
    ...{ input: { planId: 'P2100', elevation: 'C', communityId: 'Juniper Ridge' }, isDescribed: true },
  },
  { request: 'What have we not bought yet on Lot 14?', skill: 'findUnboughtScopes', input: { homeId: 'Lot 14' } },
  { request: 'Which houses are over budget?', skill: 'findHomesOverBudget', input: {} },
  {
    request: 'Budget against actual for Lot 16, by cost code please.',
    skill: 'budgetVsActual',
    input: { homeId: 'Lot 16', groupBy: 'costCode' },
  },
  { request: 'Where will Lot 16 end up in cost?', skill: 'forecastCostAtCompletion', input: { homeId: 'Lot 16' } },
  { request: 'What leaves the bank in the next eight weeks?', skill: 'cashFlowForecast', input: { weeks: 8 } },
  { request: 'Which bills can I pay now?', skill: 'payableNow', input: {} },
  { request: 'How much retainage are we sitting on, and for whom?', skill: 'retainageSummary', input: {} },
  {
    request: 'Whose insurance runs out in the next 30 days?',
    skill: 'findExpiringInsurance',
    input: { withinDays: 30 },
  },
  {
    request: 'Remind everybody whose insurance has lapsed',
    skill: 'sendInsuranceReminders',
    input: { withinDays: 0 },
    dryRun: true,
  },
  { request: 'Who is my best painter?', skill: 'rankVendors', input: { scope: 'painting' } },
  {
    request: 'Show me the critical path and the schedule of Lot 14',
    skill: 'getHomeSchedule',
    input: { homeId: 'Lot 14' },
  },
  {
    ...{
      request: 'If the windows for 16 come a week late, when do we close?',
      skill: 'simulateDelay',
      isDescribed: true,
    },
    input: {
      taskId: 'Windows and exterior doors delivered, Lot 16',
      days: 5,
    },
  },
  { request: 'List our vendors', skill: 'listVendors', input: {} },
  { request: 'What is late at Barton Bluff?', skill: 'findLateTasks', input: { communityId: 'Barton Bluff' } },
  { request: 'What is on fire today?', skill: 'exceptionsToday', input: {} },
]

let plumbline: TestPlumbline
let client: Client
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { key } = await createDemo(plumbline.database, plumbline.config)
  client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${plumbline.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  // The demo builder has a year of data, which takes minutes to create on a busy machine.
}, 400_000)
afterAll(async () => {
  await client.close()
  await plumbline.stop()
})

const spent = { calls: 0, tokens: 0 }

/** Calls a tool and returns the text of its result. Counts the tokens that a model writes and reads. */
async function call(name: string, input: Record<string, unknown>): Promise<{ text: string; tokens: number }> {
  const { content, isError } = (await client.callTool({ name, arguments: input })) as {
    content: { text: string }[]
    isError?: boolean
  }
  const text = content.map((part) => part.text).join('\n')
  expect([name, isError, isError === true && text]).toEqual([name, undefined, false])
  const tokens = Math.round((JSON.stringify(input).length + text.length) / 4)
  spent.calls++
  spent.tokens += tokens
  return { text, tokens }
}

test('an agent needs at most 60 calls and 40,000 tokens for 20 office tasks', async () => {
  const sizes: [string, number][] = []
  for (const { request, skill, input, isDescribed, dryRun } of TASKS) {
    const found = await call('search_skills', { query: request })
    expect([request, found.text.includes(`"name":"${skill}"`)]).toEqual([request, true])
    if (isDescribed) await call('describe_skill', { skill })
    const run = dryRun
      ? await call('execute_skill', { skill, input, dryRun })
      : await call('read_with_skill', { skill, input })
    sizes.push([skill, run.tokens])
  }
  const report = `${JSON.stringify(spent)} ${JSON.stringify(sizes)}`
  if (process.env.SHOW_SIZES) console.log(report)
  expect(spent.calls, report).toBeLessThanOrEqual(60)
  expect(spent.tokens, report).toBeLessThanOrEqual(40_000)
})

test.each([
  ['getHomeSchedule', { homeId: 'Lot 14' }],
  ['priceTakeoff', { planId: 'P2100', elevation: 'C', communityId: 'Juniper Ridge' }],
  ['listVendors', {}],
  ['simulateDelay', { taskId: 'Windows and exterior doors delivered, Lot 16', days: 5 }],
])('the summary of %s has at most 2,500 tokens', async (skill, input) => {
  const summary = await call('read_with_skill', { skill, input })
  const full = await call('read_with_skill', { skill, input, detail: 'full' })
  if (process.env.SHOW_SIZES) console.log(skill, summary.tokens, full.tokens)
  expect(summary.tokens).toBeLessThanOrEqual(2500)
  expect(summary.tokens).toBeLessThan(full.tokens / 2)
})

test('the fields input limits each record to the named fields', async () => {
  const input = { homeId: 'Lot 14' }
  const { text } = await call('read_with_skill', { skill: 'getHomeSchedule', input, fields: ['endDate', 'tasks.name'] })
  const { result } = JSON.parse(text)
  expect(Object.keys(result)).toEqual(['endDate', 'tasks'])
  expect(result.tasks.columns).toEqual(['name'])
})

test('the error for an unknown name in the fields input lists the available fields', async () => {
  const input = { homeId: 'Lot 14' }
  const wrong = (await client.callTool({
    name: 'read_with_skill',
    arguments: { skill: 'getHomeSchedule', input, fields: ['tasks.shoeSize'] },
  })) as { content: { text: string }[] }
  expect(wrong.content[0]?.text).toMatch(/unknown field "shoeSize"; available fields: taskId, name, /)
})

test('the error for an unknown input of a skill lists the available inputs', async () => {
  const ask = async (input: unknown) =>
    (
      (await client.callTool({ name: 'read_with_skill', arguments: { skill: 'priceTakeoff', input } })) as {
        content: { text: string }[]
      }
    ).content.at(-1)?.text
  expect(await ask({ planId: 'P2100', communityId: 'Juniper Ridge', when: '2026-12-01' })).toMatch(
    /\/input\/when is not an input of this skill; the inputs are planId, communityId, elevation/,
  )
})

test('a skill accepts a JSON string instead of an object', async () => {
  const ask = async (input: unknown) =>
    (
      (await client.callTool({ name: 'read_with_skill', arguments: { skill: 'priceTakeoff', input } })) as {
        content: { text: string }[]
      }
    ).content.at(-1)?.text
  const whole = await ask('{"planId": "P2100", "communityId": "Juniper Ridge", "elevation": "C"}')
  const nested = await ask({ planId: 'P2100', communityId: 'Juniper Ridge', elevation: 'C', optionIds: '[]' })
  expect(JSON.parse(whole ?? '').result.total).toBe(JSON.parse(nested ?? '').result.total)
})

test('an agent can propose a change with an ordinary key', async () => {
  const { text } = await call('execute_skill', {
    ...{ skill: 'createVendor', input: { companyName: 'Proposed & Sons' }, propose: true },
  })
  expect(text).toMatch(/Nothing was changed\. Proposal prp_\w+ is awaiting approval/)
  const found = await call('read_with_skill', { skill: 'listVendors', input: { q: 'Proposed & Sons' } })
  expect(JSON.parse(found.text).result).toEqual({})
  const proposed = await call('read_with_skill', { skill: 'listProposals', input: {} })
  expect(proposed.text).toContain('createVendor')
})
