import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '../../client/index.ts'
import { USUAL_BOUNDS, work } from './assistant.ts'
import { chatModel } from './model.ts'

/**
 * PLUMBLINE_KEY=plb_… MODEL_URL=https://…/v1 MODEL_KEY=… MODEL=… npx node examples/assistant/main.ts [transcript]
 *
 * PLUMBLINE_URL is the URL of the service. Exits with 1 if a bound ended the work before the model did.
 */
const {
  PLUMBLINE_URL = 'http://localhost:3000',
  PLUMBLINE_KEY: key = '',
  MODEL_URL = 'http://localhost:11434/v1',
  MODEL_KEY = '',
  MODEL: name = 'default',
} = process.env
const file = process.argv[2] ?? path.join(import.meta.dirname, 'transcript.txt')

const client = createClient({ baseUrl: PLUMBLINE_URL, key })
const model = chatModel({ baseUrl: MODEL_URL, key: MODEL_KEY, name })
const today = new Date().toISOString().slice(0, 10)
const tell = (line: string) => console.log(line)

const ended = await work({ client, model, bounds: USUAL_BOUNDS, tell }, readFileSync(file, 'utf8'), today)
if (ended.said !== null) console.log(ended.said)
for (const id of ended.proposals) console.log(`Waits for approval: ${id}`)
if (ended.stoppedBy !== null) {
  console.error(`Ended by the bound of ${USUAL_BOUNDS[ended.stoppedBy]} ${ended.stoppedBy}.`)
  process.exitCode = 1
}
