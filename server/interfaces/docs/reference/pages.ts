import type { Contract, Operation, Schema } from '../../../platform/calls/contract.ts'
import { catalogueOf } from '../../skills/catalogue.ts'
import { type Html, html } from '../page/html.ts'
import { inline, markdown, type Page, type Site } from '../page/page.ts'
import { type Atlas, answerOf, atlasOf, pageOf, type Room } from './atlas.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { ABOUT_PAGES, introductionOf } from './introduction.ts'
import { operationSection } from './operation.ts'

/**
 * Renders the overview of all operations. The reference, including its page for each tag, is rendered from the contract
 * and can be read, linked and printed without scripts. Scripts add the search, the request forms and the choice of a
 * language.
 */
export function overviewPage(site: Site, contract: Contract): Page {
  const atlas = atlasOf(contract)
  const all = atlas.groups.flatMap(({ rooms }) => rooms.flatMap(({ operations }) => operations))
  return {
    title: 'Reference',
    section: '',
    contents: contents(site, atlas, null),
    content: html`<div class="prose">
<h1>Reference</h1>
${introductionOf(contract).map(({ anchor, text }) =>
  anchor === null
    ? markdown(text)
    : html`<div id="${anchor}">${markdown(text)}</div>
`,
)}
<p>To get started, <a href="${site.docs}/guides/first-call">make your first API call</a>. Download the full description:
<a href="${site.docs}/openapi.json">openapi.json</a> (OpenAPI 3.1), or a
<a href="${site.docs}/postman.json" download="plumbline.postman_collection.json">Postman collection</a>, which other tools can
import, too.</p>
<p id="${ABOUT_PAGES.anchor}">${ABOUT_PAGES.text}</p>
</div>
<h2 id="operations">All ${all.length} operations</h2>
<div class="overview">${atlas.groups.map(
      ({ name, rooms }) => html`<section>
<h3>${name}</h3>
${rooms.map(
  (room) => html`<h4><a href="${site.docs}/reference/${room.slug}">${room.tag}</a></h4>
<ul>${room.operations.map((operation) => html`<li>${entry(operation, `${site.docs}/reference/${room.slug}`)}</li>\n`)}</ul>\n`,
)}</section>\n`,
    )}</div>`,
  }
}

/** Renders the page of a tag: its operations, followed by the objects that they return. */
export function roomPage(site: Site, contract: Contract, slug: string): Page | null {
  const atlas = atlasOf(contract)
  const room = atlas.roomNamed(slug)
  if (room === undefined) return null
  const skills = new Set(catalogueOf(contract).skills.map(({ name }) => name))
  return {
    title: room.tag,
    section: '',
    scripts: ['try.js'],
    sources: idSources(atlas),
    contents: contents(site, atlas, room),
    content: html`<div class="prose">
<h1>${room.tag}</h1>
<p class="lead">${inline(room.description)}</p>
</div>
${room.operations.map((operation) => operationSection(atlas, site, operation, skills))}
${room.objects.length === 0 ? null : objects(atlas, site, room)}`,
  }
}

function objects(atlas: Atlas, site: Site, { objects: names }: Room): Html {
  const place = { atlas, base: `${site.docs}/reference`, isWhole: false }
  return html`<h2 class="objects" id="objects">Objects</h2>
${names.map((name) => {
  const schema = atlas.contract.document.components.schemas?.[name] as Schema
  const { description } = schema as { description?: string }
  return html`<section class="object" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${description === undefined ? null : html`<p>${inline(description)}</p>\n`}${fieldList(fieldsOf(place, name, schema))}
</section>\n`
})}`
}

/** Renders the table of contents: all tags, and the operations and objects of the open page. */
function contents(site: Site, atlas: Atlas, open: Room | null): Html {
  return html`${atlas.groups.map(
    ({ name, rooms }) => html`<h2>${name}</h2>
<ul>${rooms.map(
      (room) =>
        html`<li><a href="${site.docs}/reference/${room.slug}"${room === open ? html` aria-current="page"` : null}>${room.tag}</a>${
          room !== open
            ? null
            : html`<ul>${room.operations.map((operation) => html`<li>${entry(operation, '')}</li>\n`)}${
                room.objects.length === 0 ? null : html`<li><a href="#objects">Objects</a></li>`
              }</ul>`
        }</li>\n`,
    )}</ul>\n`,
  )}`
}

function entry({ id, method, declaration }: Operation, page: string): Html {
  const old = declaration.deprecated === true ? html` <small>deprecated</small>` : null
  return html`<a href="${page}#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span>${declaration.summary ?? id}${old}</span></a>`
}

/**
 * Returns, for each ID prefix, the list that forms take existing IDs from, such as `{ ven: '/api/ext/vendors' }`. If
 * several lists qualify, it takes the one with the fewest IDs in its own path.
 */
function idSources(atlas: Atlas): Record<string, string> {
  const sources: Record<string, string> = {}
  for (const operation of atlas.contract.operations.values()) {
    if (operation.method !== 'GET' || !operation.path.startsWith('/api/ext/')) continue
    const answer = answerOf(atlas.contract, operation)
    if (answer?.schema === undefined || pageOf(atlas.contract, answer.schema) === null) continue
    const required = operation.declaration.parameters?.some((declared) => {
      const { in: where, required } = atlas.contract.resolve(declared)
      return where === 'query' && required === true
    })
    if (required === true) continue
    for (const { value } of Object.values(answer.examples)) {
      const [first] = (value as { data?: { id?: unknown }[] }).data ?? []
      const [, prefix] = /^([a-z]+)_/.exec(String(first?.id ?? '')) ?? []
      if (prefix === undefined) continue
      const known = sources[prefix]
      if (known === undefined || idsIn(operation.path) < idsIn(known)) sources[prefix] = operation.path
    }
  }
  return sources
}

function idsIn(path: string): number {
  return path.split('{').length
}
