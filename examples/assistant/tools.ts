import { type FunctionDefinition, orThrow, type PlumblineClient, PlumblineError } from '../../client/index.ts'
import type { ToolCall } from './model.ts'

/** The skills for bidding. With eight tools, a model chooses better than with four hundred. */
const SKILLS = [
  ...['listCommunities', 'listVendors', 'createVendor', 'updateVendor'],
  ...['createBidRequest', 'submitBid', 'compareBids', 'awardBid'],
]

/** Skills that commit the builder's money. They are only proposed, and a user approves them in the admin area. */
const PROPOSED: ReadonlySet<string> = new Set(['awardBid'])

/**
 * The maximum length of a result, in characters. Longer results are cut off, because the model reads them again in
 * every later turn.
 */
const MOST_CHARACTERS = 20_000

/** Returns the tools with the descriptions from the service. */
export async function toolsOf(client: PlumblineClient): Promise<FunctionDefinition[]> {
  const query = { names: SKILLS }
  return (await orThrow(client.GET('/api/ext/schema/functions.json', { params: { query } }))).tools
}

export interface Ran {
  /** The text that the model sees. */
  content: string
  /** The text that the operator sees. */
  line: string
  proposalId: string | null
}

/**
 * Runs a tool call of the model. If the call fails, the model receives the problem and can correct the call. Throws all
 * other errors.
 */
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
    // Before the model reads the texts, it learns which of them were written by vendors.
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
