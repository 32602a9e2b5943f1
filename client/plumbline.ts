#!/usr/bin/env node
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type ListenOptions, listen, replay, unknownTypes } from './listen.ts'
import { PlumblineError } from './problem.ts'

const HELP = `plumbline listen --to URL [options]

Posts events to an address of this machine as they happen, signed as real webhooks are.

  --to URL            where to, such as http://localhost:4000/hook
  --base-url URL      the service; PLUMBLINE_URL, or http://localhost:3000
  --key KEY           an API key with events:read; rather put it into PLUMBLINE_KEY
  --secret SECRET     what to sign with; PLUMBLINE_WEBHOOK_SECRET, or one that is made and shown
  --types TYPES       only these, separated by commas, such as bid.submitted,po.created
  --after EVENT       begin after this event instead of now
  --replay EVENT      send this past event again, and end
`

const OPTIONS = {
  to: { type: 'string' },
  'base-url': { type: 'string' },
  key: { type: 'string' },
  secret: { type: 'string' },
  types: { type: 'string' },
  after: { type: 'string' },
  replay: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** The exit code: 0 when it was ended or replayed, 1 if something refused, 2 if it was called wrongly. */
async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const { PLUMBLINE_URL, PLUMBLINE_KEY, PLUMBLINE_WEBHOOK_SECRET } = process.env
  const { to, key = PLUMBLINE_KEY, types, after } = values
  if (positionals.join(' ') !== 'listen' || to === undefined || !URL.canParse(to))
    return wrong('It takes listen --to URL.')
  if (key === undefined || key === '') return wrong('It takes a key: set PLUMBLINE_KEY, or --key.')
  const given = values.secret ?? PLUMBLINE_WEBHOOK_SECRET
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`
  const say = (line: string) => process.stdout.write(`${line}\n`)
  if (given === undefined) say(`Signed with ${secret}`)
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  const options: ListenOptions = {
    ...{ to, key, secret, say, signal: end.signal },
    baseUrl: values['base-url'] ?? PLUMBLINE_URL ?? 'http://localhost:3000',
    ...(types !== undefined && { types: types.split(',').map((type) => type.trim()) }),
    ...(after !== undefined && { after }),
  }
  if (values.replay !== undefined) return (await replay(values.replay, options)) ? 0 : 1
  // One that there is not would be waited for without a word.
  const { unknown, known } = await unknownTypes(options.types ?? [], options)
  if (unknown.length > 0) {
    process.stderr.write(`There are no events of type ${unknown.join(', ')}. There are: ${known.join(', ')}.\n`)
    return 1
  }
  await listen(options)
  return 0
}

function wrong(sentence: string): number {
  process.stderr.write(`${sentence}\n\n${HELP}`)
  return 2
}

run().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isUsage = (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS') === true
    const told = error instanceof Error && (isUsage || error instanceof PlumblineError) ? error.message : String(error)
    process.stderr.write(`${told}\n`)
    process.exitCode = isUsage ? 2 : 1
  },
)
