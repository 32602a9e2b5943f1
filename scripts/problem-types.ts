import type { ContractDocument } from '../server/platform/calls/contract.ts'

interface Entry {
  members?: string[]
  mayHave?: string[]
}

/**
 * Generates the client's types for the members of problems by code, from the contract's `x-problems`, and the reasons
 * of conflicts with their meanings, which editors show.
 */
export function writeProblemTypes(document: ContractDocument): string {
  const entries = Object.entries(document['x-problems'] as Record<string, Entry>)
  const lines = entries.flatMap(([code, { members = [], mayHave = [] }]) => {
    if (members.length + mayHave.length === 0) return []
    const names = (list: readonly string[]) => list.map((name) => `'${name}'`).join(' | ')
    const always = members.length > 0 ? [`Required<Pick<AnyProblem, ${names(members)}>>`] : []
    const sometimes = mayHave.length > 0 ? [`Pick<AnyProblem, ${names(mayHave)}>`] : []
    return [`  ${code}: ${[...always, ...sometimes].join(' & ')}\n`]
  })
  return [
    "import type { Problem as AnyProblem } from './contract.gen.ts'\n\n",
    '/** What problems of these codes have besides what all have. Written by `npm run generate`. */\n',
    `export interface ProblemMembers {\n${lines.join('')}}\n\n`,
    writeConflictReasons(document),
  ].join('')
}

function writeConflictReasons({ components: { schemas = {} } }: ContractDocument): string {
  const { description, 'x-enumDescriptions': meanings } = schemas.ConflictReason as Described
  const lines = Object.entries(meanings).map(
    ([reason, meaning]) => `  /** ${toSentence(meaning)} */\n  ${reason}: '${reason}',\n`,
  )
  const [lead = '', ...more] = description.split('. ')
  return [
    `/** ${lead}. ${more[0]}. By name, so that an editor shows what each means. */\n`,
    `export const ConflictReason = {\n${lines.join('')}} as const\n\n`,
    'export type ConflictReason = (typeof ConflictReason)[keyof typeof ConflictReason]\n',
  ].join('')
}

interface Described {
  description: string
  'x-enumDescriptions': Record<string, string>
}

function toSentence(meaning: string): string {
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`
}
