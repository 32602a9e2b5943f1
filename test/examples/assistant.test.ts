import { spawn } from 'node:child_process'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../client/index.ts'
import { type Bounds, type Ended, USUAL_BOUNDS, work } from '../../examples/assistant/assistant.ts'
import { chatModel, type Message } from '../../examples/assistant/model.ts'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { buildSite, type Site } from '../support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** The program does not depend on the service's database, so one database is enough. */
const isHere = isTestedHere()

// biome-ignore lint/suspicious/noExplicitAny: a script reads the results of any tool.
type Results = Record<string, any>
/** The action of the scripted model in a turn: calls of tools with inputs, or the final answer. */
type Turn = (results: Results, messages: Message[]) => Record<string, object | string> | string

let plumbline: TestPlumbline
let site: Site
let provider: Server
/** The actions of the model, one for each turn. After the last action, the model repeats that action. */
let script: Turn[]
/** The problem that the model received in response to its mistake. */
let refusal: { refused: string; errors: { pointer: string }[] }
let asked: { tools: { function: { name: string } }[]; messages: Message[]; authorization: string | undefined }[]

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  provider = createServer(async (request, response) => {
    const { messages, tools } = JSON.parse(await text(request))
    asked.push({ messages, tools, authorization: request.headers.authorization })
    try {
      complete(messages, response)
    } catch (error) {
      // If the script throws, the provider responds with status 500. Otherwise, the caller would wait forever.
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await plumbline.stop()
})

/** Responds like a provider of chat completions, with the tool calls or the answer from the script. */
function complete(messages: Message[], response: ServerResponse): void {
  const results: Results = {}
  const names = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => [one.id, one.function.name])))
  for (const { tool_call_id: id, content } of messages)
    if (id !== undefined) results[names.get(id) ?? ''] = JSON.parse(content ?? 'null')
  const taken = messages.filter(({ role }) => role === 'assistant').length
  const done = (script[taken] ?? script.at(-1))?.(results, messages) ?? ''
  // Does not respond, like a provider that hangs.
  if (done === 'hang') return
  const message =
    typeof done === 'string'
      ? { role: 'assistant', content: done }
      : {
          ...{ role: 'assistant', content: null },
          tool_calls: Object.entries(done).map(([name, input], at) => ({
            ...{ id: `call_${taken}_${at}`, type: 'function' },
            function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
          })),
        }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ choices: [{ message }], usage: { total_tokens: 1000 } }))
}

const modelUrl = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`

function run(turns: Turn[], bounds: Partial<Bounds> = {}): Promise<Ended & { lines: string[] }> {
  script = turns
  asked = []
  const lines: string[] = []
  const parts = {
    client: createClient({ baseUrl: plumbline.url, key: site.key }),
    model: chatModel({ baseUrl: modelUrl(), key: 'sk-test', name: 'scripted' }),
    bounds: { ...USUAL_BOUNDS, ...bounds },
    tell: (line: string) => lines.push(line),
  }
  return work(parts, 'A call.', '2026-11-22').then((ended) => ({ ...ended, lines }))
}

/** The responses of a good model to the request in transcript.txt, with one mistake. */
const PIPELINE: Turn[] = [
  () => ({ listCommunities: { q: 'Juniper' }, listVendors: { q: 'Lone Star' } }),
  ({ listVendors }) => ({
    updateVendor: { vendorId: listVendors.data[0].id, contactName: 'Hank Dietrich' },
    createVendor: { companyName: 'Vega Carpentry', scopes: ['framing'], email: 'marisol@vegacarpentry.example.com' },
  }),
  ({ listCommunities, updateVendor, createVendor }) => ({
    createBidRequest: {
      ...{ scope: 'framing', deadline: site.day(14), communityId: listCommunities.data[0].id },
      vendorIds: [updateVendor.id, createVendor.id],
    },
  }),
  ({ createBidRequest: { id }, updateVendor }) => ({
    submitBid: { bidRequestId: id, vendorId: updateVendor.id, amount: -39850, source: 'phone' },
  }),
  ({ createBidRequest: { id }, updateVendor, submitBid }) => {
    refusal = submitBid
    return { submitBid: { bidRequestId: id, vendorId: updateVendor.id, amount: 39850, source: 'phone' } }
  },
  ({ createBidRequest: { id }, createVendor }) => ({
    submitBid: { bidRequestId: id, vendorId: createVendor.id, amount: 41200, leadTimeDays: 7, source: 'phone' },
    compareBids: { bidRequestId: id },
  }),
  ({ compareBids }) => {
    const [lowest] = compareBids.vendors.toSorted((a: { total: number }, b: { total: number }) => a.total - b.total)
    return { awardBid: { bidId: lowest.bidId, reason: 'The lower of two.' } }
  },
  ({ awardBid }) => `Proposed as ${awardBid.proposed}.`,
]

test.runIf(isHere)('the assistant example turns a phone call into a proposed award', async () => {
  script = PIPELINE
  asked = []
  const child = spawn(process.execPath, [path.join(root, 'examples/assistant/main.ts')], {
    env: {
      ...{ ...process.env, PLUMBLINE_URL: plumbline.url, PLUMBLINE_KEY: site.key },
      ...{ MODEL_URL: modelUrl(), MODEL_KEY: 'sk-test', MODEL: 'scripted' },
    },
  })
  const code = new Promise((done) => child.on('close', done))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect([await code, errors]).toEqual([0, ''])
  expect(output).toMatch(/^1\. listCommunities: done\n1\. listVendors: done\n2\. updateVendor: done\n/)
  expect(output).toContain('submitBid: refused, validation_failed')
  const [, proposalId] = /Waits for approval: (prp_\w+)/.exec(output) ?? []
  expect([refusal.refused, refusal.errors[0]?.pointer]).toEqual(['validation_failed', '/input/amount'])
  expect(asked[0]).toMatchObject({ authorization: 'Bearer sk-test' })
  expect(asked[0]?.tools).toHaveLength(8)
  expect(asked[0]?.messages[1]?.content).toContain('Lone Star Framing')
  const of = { key: site.key }
  const { body: vendor } = await plumbline.get(`/api/ext/vendors/${site.loneStar}`, of)
  expect(vendor.contactName).toBe('Hank Dietrich')
  // No bid is awarded until another user approves the proposal.
  const { body: bids } = await plumbline.get('/api/ext/bids?sort=createdAt', of)
  expect(bids.data.map(({ amount, status }: { amount: number; status: string }) => [amount, status])).toEqual([
    [39850, 'submitted'],
    [41200, 'submitted'],
  ])
  const permissions = ['proposals:write', 'skills:write', 'bids:read', 'bids:write']
  const other = await plumbline.newKey(permissions, site.organizationId)
  const approved = await plumbline.post(`/api/ext/proposals/${proposalId}/approve`, undefined, { key: other })
  expect([approved.status, approved.body.outcome?.result.bid.status]).toEqual([200, 'accepted'])
  const { body: runs } = await plumbline.get('/api/ext/executions?skill=submitBid&sort=createdAt', of)
  expect(runs.data.map(({ status }: { status: string }) => status)).toEqual(['refused', 'done', 'done'])
})

test.runIf(isHere)(
  "the assistant example returns a model's mistakes to the model without changing records",
  async () => {
    const reported: unknown[] = []
    const ended = await run([
      () => ({ awardEverything: {}, listVendors: 'no JSON', compareBids: { bidRequestId: 'BR-9999' } }),
      (_results, messages) => {
        reported.push(
          ...messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content ?? '').refused),
        )
        return 'I give up.'
      },
    ])
    expect(reported).toEqual(['unknown_tool', 'malformed_json', 'unknown_reference'])
    expect(ended).toMatchObject({ said: 'I give up.', stoppedBy: null, proposals: [], steps: 2 })
  },
)

test.runIf(isHere)('the assistant example stops a model that exceeds its limit of turns, tokens, or time', async () => {
  const again: Turn = () => ({ listVendors: { limit: 1 } })
  expect(await run([again], { steps: 3 })).toMatchObject({ said: null, stoppedBy: 'steps', steps: 3 })
  expect(await run([again], { tokens: 2000 })).toMatchObject({ stoppedBy: 'tokens', steps: 2, tokens: 2000 })
  expect(await run([() => 'hang'], { seconds: 0.5 })).toMatchObject({ stoppedBy: 'seconds', steps: 0 })
})
