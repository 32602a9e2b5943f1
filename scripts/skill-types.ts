import { type ContractDocument, isSkill, readContract } from '../server/platform/calls/contract.ts'

interface DeclaredSkill {
  summary: string
  permissions: string[]
  input: { $ref?: string }
  output: { $ref?: string }
}

/**
 * Generates the types of the composite skills and the names of the operations that are skills. openapi-typescript
 * ignores composite skills, because the contract declares them outside its paths. The types of operations come from the
 * contract (see client/skills.ts).
 */
export function generateSkillTypes(document: ContractDocument): string {
  const declared = Object.entries((document['x-skills'] ?? {}) as Record<string, DeclaredSkill>)
  const used = new Set<string>()
  const typeOf = (skill: string, schema: { $ref?: string }) => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1]
    if (name === undefined) throw new Error(`The input and output of the skill ${skill} have to be named schemas.`)
    used.add(name)
    return name
  }
  const entries = declared.map(([name, { summary, permissions, input, output }]) => {
    const comment = `/** ${summary}. Needs ${permissions.join(', ')}. */`
    return `  ${comment}\n  ${name}: { input: ${typeOf(name, input)}; result: ${typeOf(name, output)} }\n`
  })
  const names = [...readContract(document).operations.values()].filter(isSkill).map(({ id }) => id)
  return [
    '/** Generated from the `x-skills` of the contract by `npm run generate`. */\n',
    `import type { ${[...used].sort().join(', ')} } from './contract.gen.ts'\n\n`,
    `/** The operations that are skills too. */
export type OperationSkill =
${names.map((name) => `  | '${name}'\n`).join('')}
`,
    `export interface CompositeSkills {\n${entries.join('')}}\n`,
  ].join('')
}
