import type { ContractDocument } from '../server/http/contract.ts'

interface Entry {
  members?: string[]
  mayHave?: string[]
}

/** The members that problems of some codes have, as the client's types, from the contract's `x-problems`. */
export function problemTypes(document: ContractDocument): string {
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
    `export interface ProblemMembers {\n${lines.join('')}}\n`,
  ].join('')
}
