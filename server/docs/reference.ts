import type { Contract, Operation } from '../http/contract.ts'
import { html, type Page, type Site } from './page.ts'

/**
 * The reference is rendered in the browser by Swagger UI from /docs/openapi.json, with the samples from
 * /docs/samples.json. This page adds what that lacks: a table of contents that can be searched, and read without
 * scripts.
 */
export function referencePage(site: Site, contract: Contract, operations: readonly Operation[]): Page {
  const byTag = Map.groupBy(operations, tagOf)
  const groups = (contract.document['x-tagGroups'] ?? []).flatMap(({ name, tags }) => {
    const sections = tags.flatMap((tag) => {
      const listed = byTag.get(tag)
      return listed === undefined ? [] : [html`<section><h3>${tag}</h3><ul>${listed.map(entry)}</ul></section>`]
    })
    return sections.length === 0 ? [] : [html`<div class="group"><h2>${name}</h2>${sections}</div>`]
  })
  return {
    title: 'Reference',
    section: '',
    isWide: true,
    scripts: ['reference.js'],
    library: { script: 'swagger-ui-bundle.js', style: 'swagger-ui.css' },
    content: html`<div class="reference">
<details class="contents" open>
<summary>All ${operations.length} operations</summary>
<input type="search" id="find" placeholder="Find an operation" aria-label="Find an operation">
<nav aria-label="Operations">${groups}</nav>
</details>
<div id="reference"><noscript><p>This page draws the reference with a script; <a href="${site.docs}/openapi.json">the document that it is
made from</a> needs none.</p></noscript></div>
</div>`,
  }
}

function entry(operation: Operation) {
  const { method, declaration, id } = operation
  const old = declaration.deprecated === true ? html` <small>deprecated</small>` : null
  return html`<li data-words="${`${id} ${operation.path} ${declaration.summary ?? ''}`.toLowerCase()}">
<a href="${anchorOf(operation)}"><span class="method ${method.toLowerCase()}">${method}</span> ${declaration.summary ?? id}${old}</a></li>`
}

/** Where Swagger UI shows an operation. */
export function anchorOf(operation: Operation): string {
  return `#/${encodeURIComponent(tagOf(operation))}/${operation.id}`
}

function tagOf({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}
