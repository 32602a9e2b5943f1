import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { findFreePort } from '../../scripts/processes/service.ts'
import { GUIDES, readGuide } from '../../server/interfaces/docs/guides.ts'
import { createDemo } from '../../server/operators/demo/create-demo.ts'
import { compile } from '../support/compile.ts'
import { runLines } from '../support/shell.ts'
import { startMock } from '../support/start-mock.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Runs all commands of the guides in order, in a shell, against a service with the demo data. */
let plumbline: TestPlumbline
let key: string

const readGuideText = (name: string) => {
  const site = { title: '', version: '', url: plumbline.url, docs: '/docs' }
  return readGuide(name, site, plumbline.config)
}

export function testGuides(service: () => TestPlumbline): void {
  beforeAll(async () => {
    plumbline = service()
    key = (await createDemo(plumbline.database, plumbline.config)).key
  }, 120_000)

  test('the TypeScript code of each guide compiles with the client', () => {
    // Compiles the files together, because most of the time is spent on the client's types.
    const files = GUIDES.flatMap((name) => {
      const blocks = listCodeBlocks(readGuideText(name).text).filter(({ language }) => /^tsx?$/.test(language))
      return blocks.map(({ language, text }, index) => {
        const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `${index}.${language}`
        return [`${name}/${file}`, text]
      })
    })
    const broken = Object.entries(compile(Object.fromEntries(files))).filter(([, errors]) => errors.length > 0)
    expect(broken).toEqual([])
  })

  test.for(GUIDES)('the commands of %s work as described', { timeout: 90_000 }, async (name, { skip }) => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'plumbline-guide-'))
    mkdirSync(path.join(cwd, '.data'))
    writeFileSync(path.join(cwd, '.data/demo.json'), JSON.stringify({ key }))
    symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'))
    const port = String(await findFreePort())
    const mock = name === 'mock' ? await startMock() : null
    const text = readGuideText(name).text.replaceAll('4000', port)
    const blocks = listCodeBlocks(mock === null ? text : text.replaceAll('http://127.0.0.1:4010', mock.url))
    for (const { language, text } of blocks) {
      const file = /^\/\/ (\S+\.mjs)\n/.exec(text)?.[1]
      if (language === 'js' && file !== undefined) writeFileSync(path.join(cwd, file), text)
    }
    const client = path.join(root, 'client/plumbline.ts')
    const lines = blocks.flatMap(({ language, isRefused, text }) => {
      if (language !== 'sh') return []
      // The commands that install packages do nothing, because the packages are already available.
      const tools = `npm() { :; }; npx() { shift; node ${client} "$@"; }; curl() { command curl ${isRefused ? '' : '--fail-with-body'} "$@"; }`
      const isUp = `until command curl -s -o /dev/null http://127.0.0.1:${port}; do sleep 0.1; done`
      return [tools, text, ...(text.includes('&\n') ? [isUp] : [])]
    })
    const env = {
      PLUMBLINE_KEY: key,
      PLUMBLINE_URL: plumbline.url,
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
    }
    const script = ['set -eo pipefail', ...lines, ...(ENDING_COMMANDS[name] ?? [])].join('\n')
    const ran = await runLines(script, { cwd, env, tools: ['curl', 'jq'] })
    await mock?.stop()
    if (ran === null) return skip()
    expect(ran, `${ran.stdout}\n${ran.stderr}`).toMatchObject({ code: 0 })
    for (const sign of EXPECTED_OUTPUT[name] ?? []) expect(ran.stdout).toMatch(sign)
  })
}

/** The commands that end those guides that would otherwise run forever. */
const ENDING_COMMANDS: Record<string, string[]> = {
  browser: ['kill %1'],
  // A reader would watch the receiver. The test instead polls the subscription until all deliveries have arrived.
  webhooks: [
    'curl() { command curl "$@" -H "Authorization: Bearer $PLUMBLINE_KEY"; }',
    'deliveries() { curl -s "$PLUMBLINE_URL/api/ext/webhooks/$(jq -r .id webhook.json)/deliveries"; }',
    `until deliveries | jq -e '(.data | length) == 2 and all(.data[]; .status == "succeeded")'; do sleep 0.1; done`,
    'kill %1',
  ],
  // Few machines have the generators, so the test checks only their input.
  'other-languages': [
    `jq -e '[.. | objects | (."$ref" | tostring | endswith("OrNull")) or has("anyOf")] | any | not' openapi.csharp.json`,
  ],
}

/** Patterns that the output of the commands must match. */
const EXPECTED_OUTPUT: Record<string, RegExp[]> = {
  'first-call': [/Harrow & Finch Homes/, /"status": "active"/, /^ven_\w+$/m, /"version": 2/, /"validation_failed"/],
  paging: [/^Lone Star/m, /^[\d.]+ by .+, Juniper Ridge$/m, /^304$/m],
  idempotency: [/201 Created/, /"idempotency_key_reused"/],
  webhooks: [/^vendor\.created ven_/m, /^vendor\.updated ven_/m, /^evt_\w+ vendor\.created → 204 /m],
  bidding: [
    /^brq_/m,
    /"lowAmount": 39850/,
    /^\{"scope":"framing","status":"sent"\}$/m,
    /"dryRun":true,"status":"accepted"/,
    /"order":"draft"/,
    /"code": "(conflict|invalid_transition)",\n {2}"reason": .*\n {2}"detail": ".+"/,
  ],
  'buyer-changes': [/"originalPrice":395000,"totalPrice":415000/, /"source":"agreed","price":20000/],
  site: [
    /"status":"issued","inactivityDays":180/,
    /"readiness":"blocked"/,
    /"attempt":2,"task":"completed"/,
    /"status":"submitted","delays":\["failed_inspection"\]/,
  ],
  warranty: [
    /"path":"owner"/,
    /"number":"P-1","status":"open"/,
    /"walkthrough":"closed","items":1/,
    /"suggestedDecision":"not_covered"/,
    /"request":"scheduled","visit":"proposed"/,
  ],
  // The figures in the text of the guide.
  paying: [
    /"status":"accepted","total":1000,"retainagePercent":10/,
    /"completedAmount":600,"retainedAmount":60,"payableAmount":540/,
    /"progress","grossAmount":600,"retainageWithheld":60,"amount":540/,
    /"paidAmount":540,"retainedAmount":60,"payableAmount":0,"releasedAmount":0,"balance":460/,
    /"completed","retainedAmount":100,"payableAmount":360/,
    /"final","grossAmount":400,"retainageWithheld":40,"amount":360/,
    /"retainage_release","grossAmount":100,"retainageWithheld":0,"amount":100/,
    /"closed","paidAmount":1000,"retainedAmount":0,"payableAmount":0,"releasedAmount":100,"balance":0/,
  ],
  bills: [
    /"completedAmount":2000,"unbilledAmount":2000,"payableAmount":0/,
    /"received|draft","match":"matched","grossAmount":2000,"retainageWithheld":200,"amount":1800,"dueDate":"2026-10-31"/,
    /"code":"conflict","reason":"needs_override"/,
    /"status":"approved","openAmount":1800/,
    /"status":"partially_paid","paidAmount":800,"openAmount":1000/,
    /"grossAmount":-500,"retainageWithheld":-50,"amount":-450/,
    /"completedAmount":1500,"billedAmount":1500,"retainedAmount":150,"payableAmount":550/,
  ],
  accounting: [
    ...[/"acknowledged":1/, /"status":"updated","version":3/, /"status":"created","version":1/, /"due":0/],
    /"missingHere":\["LEDGER-9000"\]/,
  ],
  agents: [
    /"dryRun": true/,
    /"skill_not_found"/,
    /"createVendor"/,
    /search_skills/,
    /resource_metadata=/,
    /^prp_|"prp_/m,
  ],
  browser: [/^1$/m, /^invalid_key$/m, /valid only for pages from http:\/\/localhost:5173/],
  'webhooks-in-production': [/"previousSecretExpiresAt": "2/, /"active"/, /"queued"/],
  mock: [/"count":0/, /"code":"rate_limited"/, /^\[\]$/m, /^true$/m, /"unavailable"/, /"skill_not_found"/],
  'other-languages': [/^true$/m],
  limits: [/RateLimit-Policy: "minute"/i, /"resetsAt"/],
}

interface CodeBlock {
  language: string
  /** Whether the service is expected to reject the commands of the block. */
  isRefused: boolean
  text: string
}

function listCodeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)( refused)?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', refused, text = '']) => ({
      language,
      isRefused: refused !== undefined,
      text,
    }),
  )
}
