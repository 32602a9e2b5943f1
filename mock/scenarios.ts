import type { Contract, Operation, Reference, ResponseObject } from '../server/platform/calls/contract.ts'

/** A response that the contract names, so that it can be requested from the mock: `Prefer: code=…, example=…`. */
export interface Scenario {
  status: number
  /** Null if the response has no body. */
  example: string | null
  summary: string
}

interface Example {
  summary?: string
}
type Shown = ResponseObject & { content?: Record<string, { examples?: Record<string, Example | Reference> }> }

/** Returns every scenario of an operation in the order of the contract; the first is the default response. */
export function scenariosOf(contract: Contract, operation: Operation): Scenario[] {
  return Object.entries(operation.declaration.responses).flatMap(([status, declared]): Scenario[] => {
    const { content = {}, description } = contract.resolve<Shown>(declared as Shown)
    const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}))
    if (examples.length === 0) return [{ status: Number(status), example: null, summary: description }]
    return examples.map(([example, shown]) => ({
      status: Number(status),
      example,
      summary: contract.resolve<Example>(shown).summary ?? '',
    }))
  })
}

/** Returns all scenarios as a Markdown page, written by `npm run generate`. */
export function scenarioTable(contract: Contract): string {
  const operations = [...contract.operations.values()]
  const tags = Map.groupBy(operations, ({ declaration }) => declaration.tags?.[0] ?? '')
  const lines = [
    '# Scenarios of the mock',
    '',
    'Written by `npm run generate`. Each name is an example of the contract. To request an example, send',
    '`Prefer: example=name`. If several responses of the operation have an example of that name, send',
    '`Prefer: code=…, example=name`. `Prefer: code=…` returns the first example of that status. Without `Prefer`, an',
    'operation returns its first example.',
    '',
  ]
  for (const [tag, members] of tags) {
    lines.push(`## ${tag}`, '')
    for (const operation of members) {
      lines.push(`### ${operation.id}`, '', `\`${operation.method} ${operation.path}\``, '')
      lines.push('| Status | Example | Description |', '| --- | --- | --- |')
      for (const { status, example, summary } of scenariosOf(contract, operation).filter(isOwn)) {
        lines.push(`| ${status} | ${example === null ? '' : `\`${example}\``} | ${summary.replaceAll('|', '\\|')} |`)
      }
      const problems = Map.groupBy(
        scenariosOf(contract, operation).filter((scenario) => !isOwn(scenario)),
        ({ status }) => status,
      )
      const told = [...problems].map(
        ([status, each]) => `${status} ${each.map(({ example }) => `\`${example}\``).join(' ')}`,
      )
      lines.push('', `Problems: ${told.join(', ')}.`, '')
    }
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function isOwn({ status }: Scenario): boolean {
  return status < 400
}
