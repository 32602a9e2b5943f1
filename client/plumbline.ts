#!/usr/bin/env node
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { findUnknownEventTypes, type ListenOptions, listenForEvents, replayEvent } from './listen.ts'
import { PlumblineError } from './problem.ts'

const HELP = `plumbline listen --to URL [options]

Forwards events to a URL as they happen, signed like real webhooks.

  --to URL            URL that receives the events, such as http://localhost:4000/hook
  --base-url URL      URL of the service (default: PLUMBLINE_URL, or http://localhost:3000)
  --key KEY           API key with events:read (default: PLUMBLINE_KEY, which is safer)
  --secret SECRET     signing secret (default: PLUMBLINE_WEBHOOK_SECRET, or a new one that is printed)
  --types TYPES       event types separated by commas, such as bid.submitted,po.created (default: all)
  --after EVENT       start after this event (default: now)
  --replay EVENT      send this past event again, then exit
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

/**
 * Returns the exit code: 0 if the program was stopped or the event was replayed, 1 after a rejection, and 2 for wrong
 * arguments.
 */
async function runCommand(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const { PLUMBLINE_URL, PLUMBLINE_KEY, PLUMBLINE_WEBHOOK_SECRET } = process.env
  const { to, key = PLUMBLINE_KEY, types, after } = values
  if (positionals.join(' ') !== 'listen' || to === undefined || !URL.canParse(to))
    return reportUsage('The command is not valid. Use: plumbline listen --to URL.')
  if (key === undefined || key === '') return reportUsage('The API key is missing. Set PLUMBLINE_KEY, or use --key.')
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
  if (values.replay !== undefined) return (await replayEvent(values.replay, options)) ? 0 : 1
  // Without this check, the program would wait forever for events of an unknown type.
  const { unknown, known } = await findUnknownEventTypes(options.types ?? [], options)
  if (unknown.length > 0) {
    process.stderr.write(`Unknown event types: ${unknown.join(', ')}. Available: ${known.join(', ')}.\n`)
    return 1
  }
  await listenForEvents(options)
  return 0
}

function reportUsage(sentence: string): number {
  process.stderr.write(`${sentence}\n\n${HELP}`)
  return 2
}

runCommand().then(
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
