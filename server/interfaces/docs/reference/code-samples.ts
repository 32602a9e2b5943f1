import type {
  Contract,
  Operation,
  ParameterObject,
  ResponseObject,
  Schema,
  SchemaReference,
} from '../../../platform/calls/contract.ts'

/**
 * Sample code for an operation in curl, in TypeScript with the client library, and in Python with the standard library.
 * IDs and bodies are from the contract's examples, so each sample is a valid request, although records with these IDs
 * may not exist.
 */
export interface Samples {
  curl: string
  typescript: string
  python: string
}

export const LANGUAGES: readonly { name: keyof Samples; label: string }[] = [
  { name: 'curl', label: 'curl' },
  { name: 'typescript', label: 'TypeScript' },
  { name: 'python', label: 'Python' },
]

export function buildCodeSamples(contract: Contract, operation: Operation, url: string): Samples {
  const request = findExampleRequest(contract, operation)
  return {
    curl: writeCurl(operation, request, url),
    typescript: writeTypeScript(contract, operation, request, url),
    python: writePython(contract, operation, request, url),
  }
}

export interface ExampleRequest {
  path: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

/** Returns the first example request of an operation. */
export function findExampleRequest(contract: Contract, { declaration }: Operation): ExampleRequest {
  const path: Record<string, string> = {}
  const query: Record<string, unknown> = {}
  for (const declared of declaration.parameters ?? []) {
    const parameter = contract.resolve<ParameterObject & { example?: unknown }>(declared)
    const { name, in: where, required, example } = parameter
    if (where === 'path') path[name] = String(example)
    else if (where === 'query' && required === true) query[name] = example
    else if (where === 'query' && name === 'limit') query[name] = 2
  }
  const media = declaration.requestBody?.content['application/json'] as
    | { examples?: Record<string, { value: unknown } | SchemaReference> }
    | undefined
  const [example] = Object.values(media?.examples ?? {})
  return { path, query, body: example === undefined ? undefined : contract.resolve<{ value: unknown }>(example).value }
}

/**
 * Returns the name of the environment variable for the credential, which is an API key or, in the portal, the token of
 * a portal link.
 */
function credentialVariable({ schemes }: Operation): string {
  return schemes.has('apiKey') ? 'PLUMBLINE_KEY' : 'PORTAL_TOKEN'
}

/** Returns the path and query of a request, relative to the URL of the service. */
function toRequestTarget({ path: template }: Operation, { path, query }: ExampleRequest): string {
  let target = template
  for (const [name, value] of Object.entries(path)) target = target.replace(`{${name}}`, encodeURIComponent(value))
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `${target}${search.size > 0 ? `?${search}` : ''}`
}

function writeCurl(operation: Operation, request: ExampleRequest, url: string): string {
  const { body } = request
  const { method } = operation
  // curl uses POST by default for a request with a body.
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  const lines = [
    `curl ${verb}${quoteForShell(`${url}${toRequestTarget(operation, request)}`)}`,
    `-H "Authorization: Bearer $${credentialVariable(operation)}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(body, null, 2))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Quotes a value for the shell. */
function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}

function writeTypeScript(contract: Contract, operation: Operation, request: ExampleRequest, url: string): string {
  const { method, path } = operation
  // The client library requests the following pages itself.
  const isPaged = isListOperation(contract, operation)
  const { limit: _, ...filters } = request.query
  const query = isPaged ? filters : request.query
  const options = toTypeScriptLiteral({
    ...((hasFields(request.path) || hasFields(query)) && {
      params: {
        ...(hasFields(request.path) && { path: request.path }),
        ...(hasFields(query) && { query }),
      },
    }),
    ...(request.body !== undefined && { body: request.body }),
  })
  const provided = [toTypeScriptLiteral(path), ...(options === '{}' ? [] : [options])].join(', ')
  const head = `import { createClient } from '@plumbline/client'

const plumbline = createClient({ baseUrl: ${toTypeScriptLiteral(url)}, key: process.env.${credentialVariable(operation)} ?? '' })
`
  if (isPaged) {
    return `${head}
for await (const ${itemName(operation)} of plumbline.pages(${provided})) {
  console.log(${itemName(operation)})
}
`
  }
  // If a response has no body, the sample prints the status.
  const responded = hasContent(contract, operation) ? 'data' : 'response.status'
  return `${head}
const { ${responded.split('.')[0]}, error } = await plumbline.${method}(${provided})
if (error) console.error(error.code, error.detail)
else console.log(${responded})
`
}

function writePython(contract: Contract, operation: Operation, request: ExampleRequest, url: string): string {
  const { method } = operation
  const { body } = request
  const imports = ['json', 'os', 'urllib.error', 'urllib.request']
  const headers = [`        "Authorization": "Bearer " + os.environ["${credentialVariable(operation)}"],`]
  if (body !== undefined) headers.push('        "Content-Type": "application/json",')
  const type = findBinaryContent(contract, operation)?.type
  const shown =
    type === undefined
      ? 'print(answer.status)'
      : type === 'application/json'
        ? 'print(json.load(answer))'
        : /^text\/|json|yaml/.test(type)
          ? 'print(answer.read().decode())'
          : 'print(len(answer.read()), "bytes")'
  return `${imports.map((name) => `import ${name}\n`).join('')}
request = urllib.request.Request(
    ${toPythonLiteral(`${url}${toRequestTarget(operation, request)}`, '    ')},
    method="${method}",
    headers={
${headers.join('\n')}
    },
${body === undefined ? '' : `    data=json.dumps(${toPythonLiteral(body, '    ')}).encode(),\n`})
try:
    with urllib.request.urlopen(request) as answer:
        ${shown}
except urllib.error.HTTPError as error:
    problem = json.load(error)
    print(problem["code"], problem["detail"])
`
}

function isListOperation(contract: Contract, operation: Operation): boolean {
  if (operation.method !== 'GET') return false
  const schema = findBinaryContent(contract, operation)?.media.schema
  const { properties } = schema === undefined ? {} : contract.resolve<Schema>(schema as Schema | SchemaReference)
  return typeof properties === 'object' && properties !== null && 'nextCursor' in properties
}

function hasContent(contract: Contract, operation: Operation): boolean {
  return findBinaryContent(contract, operation) !== undefined
}

function findBinaryContent(
  contract: Contract,
  { declaration }: Operation,
): { type: string; media: { schema: Schema } } | undefined {
  const success = Object.entries(declaration.responses).find(([status]) => status.startsWith('2'))?.[1]
  if (success === undefined) return undefined
  const [first] = Object.entries(contract.resolve<ResponseObject>(success).content ?? {})
  return first && { type: first[0], media: first[1] }
}

/**
 * Returns a singular name for the loop variable, such as `bidRequest` for listBidRequests. `import` is a reserved word
 * in TypeScript.
 */
function itemName({ id }: Operation): string {
  const plural = id.replace(/^list/, '')
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
  const name = singular.slice(0, 1).toLowerCase() + singular.slice(1)
  return name === 'import' ? 'fileImport' : name
}

const WIDTH = 70

/** Writes a value as a TypeScript literal. */
function toTypeScriptLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => toTypeScriptLiteral(each, inner))
    : Object.entries(value).map(
        ([key, each]) =>
          `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : toTypeScriptLiteral(key)}: ${toTypeScriptLiteral(each, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const line = Array.isArray(value) ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (indent.length + line.length <= WIDTH && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** Writes a value as a Python literal. JSON strings are valid Python strings. */
function toPythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const parts = Array.isArray(value)
    ? value.map((each) => toPythonLiteral(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${toPythonLiteral(each, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const line = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0 || (indent.length + line.length <= WIDTH && !line.includes('\n'))) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

function hasFields(object: object): boolean {
  return Object.keys(object).length > 0
}
