import type { Contract, Operation, ResponseObject, SchemaReference } from '../server/platform/calls/contract.ts'

/**
 * A response that the contract defines and that a request can select from the mock with `Prefer: code=…, example=…`.
 */
export interface Scenario {
  status: number
  /** The name of the example; null if the response has no body. */
  example: string | null
  summary: string
}

interface Example {
  summary?: string
}
type ResponseWithExamples = ResponseObject & {
  content?: Record<string, { examples?: Record<string, Example | SchemaReference> }>
}

/** Returns every scenario of an operation in the order of the contract. The first scenario is the default response. */
export function listScenarios(contract: Contract, operation: Operation): Scenario[] {
  return Object.entries(operation.declaration.responses).flatMap(([status, declared]): Scenario[] => {
    const { content = {}, description } = contract.resolve<ResponseWithExamples>(declared as ResponseWithExamples)
    const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}))
    if (examples.length === 0) return [{ status: Number(status), example: null, summary: description }]
    return examples.map(([example, shown]) => ({
      status: Number(status),
      example,
      summary: contract.resolve<Example>(shown).summary ?? '',
    }))
  })
}

/** Renders all scenarios as a Markdown page, which `npm run generate` writes. */
export function renderScenarioTable(contract: Contract): string {
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
      for (const { status, example, summary } of listScenarios(contract, operation).filter(isOwnScenario)) {
        lines.push(`| ${status} | ${example === null ? '' : `\`${example}\``} | ${summary.replaceAll('|', '\\|')} |`)
      }
      const problems = Map.groupBy(
        listScenarios(contract, operation).filter((scenario) => !isOwnScenario(scenario)),
        ({ status }) => status,
      )
      const reported = [...problems].map(
        ([status, each]) => `${status} ${each.map(({ example }) => `\`${example}\``).join(' ')}`,
      )
      lines.push('', `Problems: ${reported.join(', ')}.`, '')
    }
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function isOwnScenario({ status }: Scenario): boolean {
  return status < 400
}
