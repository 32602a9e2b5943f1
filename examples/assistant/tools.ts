import { type FunctionDefinition, orThrow, type PlumblineClient, PlumblineError } from '../../client/index.ts'
import type { ToolCall } from './model.ts'

/** What the bidding pipeline takes. A model chooses better among eight tools than among four hundred. */
const SKILLS = [
  ...['listCommunities', 'listVendors', 'createVendor', 'updateVendor'],
  ...['createBidRequest', 'submitBid', 'compareBids', 'awardBid'],
]

/** What commits the builder's money is only proposed; a person approves it in the admin area. */
const PROPOSED: ReadonlySet<string> = new Set(['awardBid'])

/** A result is read again on every later turn, so a long one is cut. */
const MOST_CHARACTERS = 20_000

/** The tools as the service itself describes them. */
export async function toolsOf(client: PlumblineClient): Promise<FunctionDefinition[]> {
  const query = { names: SKILLS }
  return (await orThrow(client.GET('/api/ext/schema/functions.json', { params: { query } }))).tools
}

export interface Ran {
  /** What the model is shown. */
  content: string
  /** What whoever watches is shown. */
  line: string
  proposalId: string | null
}

/** Runs what the model asked for. A refusal is shown to the model, which can then do better; the rest is thrown. */
export async function runTool(client: PlumblineClient, call: ToolCall, signal: AbortSignal): Promise<Ran> {
  const { name: skill, arguments: text } = call.function
  const input = readInput(text)
  if (!SKILLS.includes(skill)) return refused(skill, 'unknown_tool', { detail: `The tools are ${SKILLS.join(', ')}.` })
  if (input === null) return refused(skill, 'malformed_json', { detail: 'The arguments are to be one JSON object.' })
  try {
    if (PROPOSED.has(skill)) {
      const proposal = await orThrow(client.POST('/api/ext/proposals', { body: { skill, input }, signal }))
      const { id, outcome } = proposal
      const content = { proposed: id, waitsFor: 'the approval of a person', wouldDo: outcome }
      return { content: cut(content), line: `${skill}: proposed as ${id}`, proposalId: id }
    }
    const { result, untrustedText } = await orThrow(client.POST('/api/ext/execute', { body: { skill, input }, signal }))
    // What vendors wrote is said before it is read.
    const content = untrustedText.length === 0 ? result : { untrustedText, result }
    return { content: cut(content), line: `${skill}: done`, proposalId: null }
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.problem === null) throw error
    const { code, detail, errors, nearest, candidates } = error.problem
    return refused(skill, code, { detail, errors, nearest, candidates })
  }
}

function refused(skill: string, code: string, why: object): Ran {
  return { content: cut({ refused: code, ...why }), line: `${skill}: refused, ${code}`, proposalId: null }
}

function readInput(text: string): Record<string, unknown> | null {
  try {
    const input: unknown = JSON.parse(text)
    return typeof input === 'object' && input !== null && !Array.isArray(input)
      ? (input as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function cut(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)} … cut off`
}
