import type { Contract, Operation, Schema } from '../../../platform/calls/contract.ts'
import { getSkillCatalog } from '../../skills/skill-catalog.ts'
import { type Html, html } from '../page/html.ts'
import { type Page, renderInlineMarkdown, renderMarkdown, type Site } from '../page/page.ts'
import { listFields, renderFieldList } from './field-list.ts'
import { ABOUT_THESE_PAGES, splitIntroduction } from './introduction.ts'
import { renderOperationSection } from './operation-section.ts'
import {
  findPageItemSchema,
  findSuccessResponse,
  getReferenceIndex,
  type ReferenceIndex,
  type ReferenceSection,
} from './reference-index.ts'

/**
 * Renders the overview of all operations. The reference is rendered from the contract and has a page for each tag.
 * Readers can read, link to, and print the pages without scripts. Scripts add the search, the request forms, and the
 * choice of a language.
 */
export function renderReferenceOverview(site: Site, contract: Contract): Page {
  const index = getReferenceIndex(contract)
  const all = index.groups.flatMap(({ rooms }) => rooms.flatMap(({ operations }) => operations))
  return {
    title: 'Reference',
    section: '',
    contents: renderContents(site, index, null),
    content: html`<div class="prose">
<h1>Reference</h1>
${splitIntroduction(contract).map(({ anchor, text }) =>
  anchor === null
    ? renderMarkdown(text)
    : html`<div id="${anchor}">${renderMarkdown(text)}</div>
`,
)}
<p>To get started, <a href="${site.docs}/guides/first-call">make your first API call</a>. Download the full description:
<a href="${site.docs}/openapi.json">openapi.json</a> (OpenAPI 3.1), or a
<a href="${site.docs}/postman.json" download="plumbline.postman_collection.json">Postman collection</a>, which other tools can
import, too.</p>
<p id="${ABOUT_THESE_PAGES.anchor}">${ABOUT_THESE_PAGES.text}</p>
</div>
<h2 id="operations">All ${all.length} operations</h2>
<div class="overview">${index.groups.map(
      ({ name, rooms }) => html`<section>
<h3>${name}</h3>
${rooms.map(
  (section) => html`<h4><a href="${site.docs}/reference/${section.slug}">${section.tag}</a></h4>
<ul>${section.operations.map((operation) => html`<li>${renderEntry(operation, `${site.docs}/reference/${section.slug}`)}</li>\n`)}</ul>\n`,
)}</section>\n`,
    )}</div>`,
  }
}

/** Renders the page of a tag: its operations, followed by the objects that they return. */
export function renderSectionPage(site: Site, contract: Contract, slug: string): Page | null {
  const index = getReferenceIndex(contract)
  const section = index.sectionNamed(slug)
  if (section === undefined) return null
  const skills = new Set(getSkillCatalog(contract).skills.map(({ name }) => name))
  return {
    title: section.tag,
    section: '',
    scripts: ['try.js'],
    sources: listIdSources(index),
    contents: renderContents(site, index, section),
    content: html`<div class="prose">
<h1>${section.tag}</h1>
<p class="lead">${renderInlineMarkdown(section.description)}</p>
</div>
${section.operations.map((operation) => renderOperationSection(index, site, operation, skills))}
${section.objects.length === 0 ? null : renderObjects(index, site, section)}`,
  }
}

function renderObjects(atlas: ReferenceIndex, site: Site, { objects: names }: ReferenceSection): Html {
  const place = { atlas, base: `${site.docs}/reference`, isWhole: false }
  return html`<h2 class="objects" id="objects">Objects</h2>
${names.map((name) => {
  const schema = atlas.contract.document.components.schemas?.[name] as Schema
  const { description } = schema as { description?: string }
  return html`<section class="object" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${description === undefined ? null : html`<p>${renderInlineMarkdown(description)}</p>\n`}${renderFieldList(listFields(place, name, schema))}
</section>\n`
})}`
}

/** Renders the table of contents: all tags, and the operations and objects of the current page. */
function renderContents(site: Site, index: ReferenceIndex, open: ReferenceSection | null): Html {
  return html`${index.groups.map(
    ({ name, rooms }) => html`<h2>${name}</h2>
<ul>${rooms.map(
      (section) =>
        html`<li><a href="${site.docs}/reference/${section.slug}"${section === open ? html` aria-current="page"` : null}>${section.tag}</a>${
          section !== open
            ? null
            : html`<ul>${section.operations.map((operation) => html`<li>${renderEntry(operation, '')}</li>\n`)}${
                section.objects.length === 0 ? null : html`<li><a href="#objects">Objects</a></li>`
              }</ul>`
        }</li>\n`,
    )}</ul>\n`,
  )}`
}

function renderEntry({ id, method, declaration }: Operation, page: string): Html {
  const old = declaration.deprecated === true ? html` <small>deprecated</small>` : null
  return html`<a href="${page}#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span>${declaration.summary ?? id}${old}</span></a>`
}

/**
 * Returns the lists from which forms get existing IDs, by ID prefix, such as `{ ven: '/api/ext/vendors' }`. If several
 * lists contain the record, uses the one with the fewest IDs in its path.
 */
function listIdSources(index: ReferenceIndex): Record<string, string> {
  const sources: Record<string, string> = {}
  for (const operation of index.contract.operations.values()) {
    if (operation.method !== 'GET' || !operation.path.startsWith('/api/ext/')) continue
    const response = findSuccessResponse(index.contract, operation)
    if (response?.schema === undefined || findPageItemSchema(index.contract, response.schema) === null) continue
    const required = operation.declaration.parameters?.some((declared) => {
      const { in: where, required } = index.contract.resolve(declared)
      return where === 'query' && required === true
    })
    if (required === true) continue
    for (const { value } of Object.values(response.examples)) {
      const [first] = (value as { data?: { id?: unknown }[] }).data ?? []
      const [, prefix] = /^([a-z]+)_/.exec(String(first?.id ?? '')) ?? []
      if (prefix === undefined) continue
      const known = sources[prefix]
      if (known === undefined || countPathIds(operation.path) < countPathIds(known)) sources[prefix] = operation.path
    }
  }
  return sources
}

function countPathIds(path: string): number {
  return path.split('{').length
}
