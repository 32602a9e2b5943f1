import { readFileSync } from 'node:fs'
import path from 'node:path'
import { html } from './page/html.ts'
import { anchorFor, type Page, renderInlineMarkdown, type Site } from './page/page.ts'

interface Term {
  term: string
  meaning: string
}

/** Returns the project's glossary without its notes for authors. */
export function renderGlossaryPage(site: Site): Page {
  const source = readFileSync(path.join(import.meta.dirname, 'glossary.gen.md'), 'utf8')
  const [, ...sections] = source.split(/^## /m)
  return {
    title: 'Glossary',
    section: '/glossary',
    content: html`<h1>Glossary</h1>
<p>The terms that <a href="${site.docs}">the reference</a> and the guides use. Names in <code>code</code> are fields, types or
values of the API.</p>
${sections.map((section) => {
  const [heading = ''] = section.split('\n', 1)
  return html`<h2 id="${anchorFor(heading)}">${heading}</h2>
<table class="catalogue">
<thead><tr><th>Term</th><th>Meaning</th></tr></thead>
<tbody>${parseTerms(section).map(({ term, meaning }) => html`<tr><td><b>${renderInlineMarkdown(term)}</b></td><td>${renderInlineMarkdown(meaning)}</td></tr>\n`)}</tbody>
</table>\n`
})}`,
  }
}

/** Returns the rows of a table, without its header and without the column of words to avoid. */
function parseTerms(section: string): Term[] {
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((row) => {
    const [, term = '', meaning = ''] = row.split('|')
    return { term: term.trim(), meaning: meaning.trim() }
  })
}
