import type { Contract, Operation, ParameterObject, ResponseObject, Schema } from '../../../platform/calls/contract.ts'
import { highlightCode } from '../page/highlight-code.ts'
import { type Html, html } from '../page/html.ts'
import { renderInlineMarkdown, renderMarkdown, type Site } from '../page/page.ts'
import { buildCodeSamples, findExampleRequest, LANGUAGES } from './code-samples.ts'
import { type Field, listFields, listParameterFields, renderFieldList, renderType } from './field-list.ts'
import { findSuccessResponse, type ReferenceIndex } from './reference-index.ts'

export interface OperationFields {
  readonly path: readonly Field[]
  readonly query: readonly Field[]
  readonly header: readonly Field[]
  readonly body: readonly Field[]
}

/**
 * Returns the fields of an operation's input, including nested fields. The reference shows all of them, and the search
 * index contains each of them.
 */
export function listOperationFields(atlas: ReferenceIndex, base: string, operation: Operation): OperationFields {
  const place = { atlas, base, isWhole: true }
  const parameters = listParameters(atlas.contract, operation)
  const at = (where: ParameterObject['in']) =>
    listParameterFields(
      place,
      operation.id,
      parameters.filter((each) => each.in === where),
    )
  const schema = bodySchema(operation)
  return {
    ...{ path: at('path'), query: at('query'), header: at('header') },
    body: schema === undefined ? [] : listFields(place, `${operation.id}.body`, schema),
  }
}

export function listParameters(contract: Contract, { declaration }: Operation): ParameterObject[] {
  return (declaration.parameters ?? []).map((declared) => contract.resolve<ParameterObject>(declared))
}

function bodySchema({ declaration }: Operation): Schema | undefined {
  return declaration.requestBody?.content['application/json']?.schema
}

export function renderOperationSection(
  index: ReferenceIndex,
  site: Site,
  operation: Operation,
  skills: ReadonlySet<string>,
): Html {
  const { contract } = index
  const { id, method, path, declaration } = operation
  const base = `${site.docs}/reference`
  const fields = listOperationFields(index, base, operation)
  const { description = '', summary = id, deprecated = false } = declaration
  return html`<section class="operation" id="${id}">
<div class="about">
<h2><a href="#${id}">${summary}</a>${deprecated ? html` <small class="deprecated">deprecated</small>` : null}</h2>
<p class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakAtSlashes(path)}</code></p>
${renderMarkdown(description)}
${renderRequirements(site, operation, skills)}
${renderFieldGroup('Path parameters', fields.path)}${renderFieldGroup('Query parameters', fields.query)}${renderRequestBody(operation, fields.body)}${renderFieldGroup('Headers', fields.header)}
${renderResponses(index, site, operation)}
</div>
<div class="shown">
${renderSamples(contract, site, operation)}
${renderExampleResponses(contract, operation)}
<button type="button" class="btn try" data-request="${JSON.stringify(toTryItForm(contract, operation, skills))}" hidden>Try it</button>
</div>
</section>
`
}

/** Allows a line break after each segment of a path, for narrow screens. */
function breakAtSlashes(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((step) => html`${step}<wbr>`)}`
}

function renderFieldGroup(title: string, fields: readonly Field[]): Html | null {
  return fields.length === 0 ? null : html`<h3>${title}</h3>\n${renderFieldList(fields)}\n`
}

function renderRequestBody({ declaration, mostUploadBytes }: Operation, fields: readonly Field[]): Html | null {
  const { requestBody } = declaration
  if (requestBody === undefined) return null
  const types = Object.keys(requestBody.content)
  return html`<h3>Request body</h3>
<p>${types.map((type, at) => html`${at === 0 ? null : ' or '}<code>${type}</code>`)}${
    mostUploadBytes === null ? null : `; a file of up to ${(mostUploadBytes / 1_048_576).toLocaleString('en-US')} MiB`
  }${requestBody.required === true ? null : '; optional'}.</p>
${renderFieldList(fields)}\n`
}

function renderRequirements(
  site: Site,
  { id, permissions, emits, schemes }: Operation,
  skills: ReadonlySet<string>,
): Html {
  const list = (names: readonly string[]) => html`${names.map((name) => html` <code>${name}</code>`)}`
  return html`<dl class="needs">
<dt>Requires</dt><dd>${schemes.has('apiKey') ? (permissions.length === 0 ? 'any API key' : list(permissions)) : 'the token of a portal link'}</dd>
${emits.length === 0 ? null : html`<dt>Emits</dt><dd>${emits.map((type) => html` <a href="${site.docs}/events#${type}"><code>${type}</code></a>`)}</dd>\n`}${
  skills.has(id)
    ? html`<dt>Skill</dt><dd><code>${id}</code>, for <a href="${site.docs}/operations/executeSkill">executeSkill</a> and agents</dd>\n`
    : null
}</dl>`
}

function renderResponses(atlas: ReferenceIndex, site: Site, operation: Operation): Html {
  const { contract } = atlas
  const base = `${site.docs}/reference`
  const success = findSuccessResponse(contract, operation)
  const problems = Object.entries(operation.declaration.responses).flatMap(([status, declared]) => {
    const { content = {} } = contract.resolve<ResponseObject>(declared)
    const media = content['application/problem+json'] as { examples?: Record<string, unknown> } | undefined
    return Object.keys(media?.examples ?? {}).map((code) => ({ status, code }))
  })
  return html`<h3>Responses</h3>
${
  success === undefined
    ? null
    : html`<p><b>${success.status}</b> ${renderInlineMarkdown(success.description)} ${
        success.schema === undefined
          ? null
          : html`<span class="type">${success.type === 'application/json' ? renderType({ atlas, base, isWhole: false }, success.schema) : (success.type ?? null)}</span>`
      }</p>
${success.schema === undefined ? null : renderUnnamedFields(atlas, base, operation, success.schema)}`
}<p class="problems">${[...Map.groupBy(problems, ({ status }) => status)].map(
    ([status, each]) =>
      html`<span><b>${status}</b>${each.map(({ code }) => html` <a href="${site.docs}/problems/${code}">${code}</a>`)}</span> `,
  )}</p>`
}

/** Renders the fields of a response whose schema has no name and therefore no section of its own. */
function renderUnnamedFields(
  atlas: ReferenceIndex,
  base: string,
  operation: Operation,
  schema: Schema | { $ref: string },
): Html | null {
  if ('$ref' in schema || 'nextCursor' in ((schema.properties as object | undefined) ?? {})) return null
  return renderFieldList(listFields({ atlas, base, isWhole: false }, `${operation.id}.answer`, schema))
}

function renderSamples(contract: Contract, site: Site, operation: Operation): Html {
  const texts = buildCodeSamples(contract, operation, site.url)
  return html`<div class="samples">
<div class="tabs" role="group" aria-label="Language">${LANGUAGES.map(
    ({ name, label }) =>
      html`<button type="button" data-language="${name}" aria-pressed="${name === 'curl' ? 'true' : 'false'}">${label}</button>`,
  )}</div>
${LANGUAGES.map(({ name }) => html`<pre class="lines ${name}"><code tabindex="0">${highlightCode(texts[name])}</code></pre>\n`)}</div>`
}

function renderExampleResponses(contract: Contract, operation: Operation): Html | null {
  const response = findSuccessResponse(contract, operation)
  if (response === undefined) return null
  const examples = Object.entries(response.examples)
  if (examples.length === 0) return html`<p class="answers">Responds with <b>${response.status}</b> and no body.</p>`
  return html`<div class="answers">${examples.map(
    ([name, { summary = name, value }], at) =>
      html`<details${at === 0 ? html` open` : null}><summary><b>${response.status}</b> ${summary}</summary>
<pre class="lines"><code tabindex="0">${highlightCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</code></pre></details>\n`,
  )}</div>`
}

/** Returns the data that the page's form needs to send a request (see try.js). */
function toTryItForm(contract: Contract, operation: Operation, skills: ReadonlySet<string>): object {
  const { id, method, path, takesBody, mostUploadBytes } = operation
  const { path: inPath, query, body: shown } = findExampleRequest(contract, operation)
  const parameters = listParameters(contract, operation)
    .filter((each) => each.in === 'path' || each.in === 'query')
    .map(({ name, in: where, required = false, schema }) => ({
      ...{ name, where, isRequired: required },
      value: where === 'path' ? inPath[name] : (query[name] ?? ''),
      isList: contract.resolve<Schema>(schema).type === 'array',
    }))
  return {
    ...{ id, method, path, parameters },
    ...(takesBody && { body: shown ?? null }),
    isUpload: mostUploadBytes !== null,
    isSkill: skills.has(id) && method !== 'GET',
    isPortal: !operation.schemes.has('apiKey'),
  }
}
