import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/**
 * Tests every tool definition that the service exports against the rules that model providers publish. Most providers
 * reject the whole request if a single tool violates a rule.
 *
 * - OpenAI, guides to function calling and structured outputs
 * - Anthropic, guides to tool use and strict tool use
 * - Google, reference of FunctionDeclaration in the Gemini API, with `parametersJsonSchema`
 */
interface Definition {
  name: string
  description: string
  schema: Schema
}
type Schema = Record<string, unknown>

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const EXPORTS: Record<string, () => Promise<Definition[]>> = {
  'tools.json': async () => {
    const { body } = await plumbline.get('/api/ext/schema/tools.json')
    return body.tools.map(
      ({ name, description, input_schema }: { name: string; description: string; input_schema: Schema }) => ({
        ...{ name, description },
        schema: input_schema,
      }),
    )
  },
  'functions.json': async () => {
    const { body } = await plumbline.get('/api/ext/schema/functions.json')
    return body.tools.map(
      ({
        function: { name, description, parameters },
      }: {
        function: { name: string; description: string; parameters: Schema }
      }) => ({
        ...{ name, description },
        schema: parameters,
      }),
    )
  },
  '/mcp': () => listMcpTools(''),
  '/mcp?tools=all': () => listMcpTools('?tools=all'),
}

async function listMcpTools(query: string): Promise<Definition[]> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${plumbline.url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${plumbline.key}` } },
    }),
  )
  try {
    const found: Definition[] = []
    let cursor: string | undefined
    do {
      const page = await client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
      for (const { name, description = '', inputSchema } of page.tools)
        found.push({ name, description, schema: inputSchema as Schema })
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  } finally {
    await client.close()
  }
}

function* listSchemas(schema: Schema): Generator<Schema> {
  yield schema
  for (const inner of Object.values((schema.properties ?? {}) as Record<string, Schema>)) yield* listSchemas(inner)
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = schema[keyword]
    if (typeof inner === 'object' && inner !== null) yield* listSchemas(inner as Schema)
  }
  for (const inner of (schema.anyOf ?? []) as Schema[]) yield* listSchemas(inner)
}

/**
 * Keywords that at least one provider rejects or ignores. If the provider ignores a keyword, the model does not see the
 * rule.
 */
const REJECTED = [
  ...['$ref', '$defs', '$anchor', '$dynamicRef', 'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'contains'],
  ...['dependentRequired', 'dependentSchemas', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['prefixItems', 'multipleOf', 'nullable', 'discriminator'],
]
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

test.each(Object.keys(EXPORTS))('every definition of %s follows the rules of each provider', async (name) => {
  const definitions = (await EXPORTS[name]?.()) ?? []
  expect(definitions.length).toBeGreaterThan(3)
  const faults = definitions.flatMap((definition) =>
    [...listFaults(definition)].map((fault) => `${definition.name}: ${fault}`),
  )
  expect(faults).toEqual([])
})

function* listFaults({ name, description, schema }: Definition): Generator<string> {
  // The name must satisfy the rules of all providers: at most 64 characters, a letter at the start (Gemini), and no
  // dots (OpenAI, Anthropic).
  if (!/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)) yield 'name'
  if (description === '' || description.length > 1024) yield `description of ${description.length} characters`
  if (schema.type !== 'object') yield 'the outermost schema is not an object'
  for (const keyword of ['anyOf', 'enum']) if (keyword in schema) yield `outermost ${keyword}`
  for (const inner of listSchemas(schema)) {
    for (const keyword of REJECTED) if (keyword in inner) yield keyword
    // RE2 (OpenAI, Gemini) and Anthropic's grammars support neither lookaround nor backreferences.
    if (/\(\?[=!<]|\\[1-9]/.test(String(inner.pattern ?? ''))) yield `pattern ${inner.pattern}`
    for (const type of [inner.type ?? []].flat()) if (!TYPES.includes(String(type))) yield `type ${type}`
    if (Array.isArray(inner.enum) && inner.enum.length === 0) yield 'empty enum'
    // Some providers reject an array without `items`. Gemini and Anthropic reject certain property names.
    if ([inner.type].flat().includes('array') && inner.items === undefined) yield 'array without items'
    for (const property of Object.keys((inner.properties ?? {}) as object))
      if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(property)) yield `property ${property}`
    for (const required of (inner.required ?? []) as string[])
      if (!Object.hasOwn((inner.properties ?? {}) as object, required)) yield `required ${required}`
  }
}
