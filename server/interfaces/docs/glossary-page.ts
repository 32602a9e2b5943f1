import { readFileSync } from 'node:fs'
import path from 'node:path'
import { html } from './page/html.ts'
import { type Page, renderInlineMarkdown, type Site, toAnchor } from './page/page.ts'

export interface Term {
  /** In Markdown. */
  term: string
  meaning: string
  /** The anchor of the term on the glossary page. */
  anchor: string
}

/** Renders the project's glossary without the notes for authors. */
export function renderGlossaryPage(site: Site): Page {
  return {
    title: 'Glossary',
    section: '/glossary',
    content: html`<h1>Glossary</h1>
<p>The terms that <a href="${site.docs}">the reference</a> and the guides use. Names in <code>code</code> are fields, types or
values of the API.</p>
${readSections().map((section) => {
  const [heading = ''] = section.split('\n', 1)
  return html`<h2 id="${toAnchor(heading)}">${heading}</h2>
<table class="catalogue">
<thead><tr><th>Term</th><th>Meaning</th></tr></thead>
<tbody>${parseTerms(section).map(({ term, meaning, anchor }) => html`<tr id="${anchor}"><td><b>${renderInlineMarkdown(term)}</b></td><td>${renderInlineMarkdown(meaning)}</td></tr>\n`)}</tbody>
</table>\n`
})}`,
  }
}

/** Returns all terms, for the search. */
export function listGlossaryTerms(): Term[] {
  return readSections().flatMap(parseTerms)
}

function readSections(): string[] {
  return readFileSync(path.join(import.meta.dirname, 'glossary.gen.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
}

/** Parses the rows of a table, without the header and the column of words to avoid. */
function parseTerms(section: string): Term[] {
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((row) => {
    const [, term = '', meaning = ''] = row.split('|')
    return { term: term.trim(), meaning: meaning.trim(), anchor: `term-${toAnchor(term.trim())}` }
  })
}
