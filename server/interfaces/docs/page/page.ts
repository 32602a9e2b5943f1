import { Marked } from 'marked'
import { highlightCode } from './highlight-code.ts'
import { Html, html } from './html.ts'

// Code blocks get the keyboard focus, because they scroll horizontally. Headings get an anchor.
const markdownRenderer = new Marked({
  renderer: {
    code: ({ text }) => `${renderCode(text).source}\n`,
    heading({ tokens, depth, text }) {
      const words = this.parser.parseInline(tokens)
      const level = `h${depth}`
      return depth === 1 ? `<h1>${words}</h1>\n` : `<${level} id="${toAnchor(text)}">${words}</${level}>\n`
    },
  },
})

/** Returns the anchor for a heading, such as `delivery-guarantees`. */
export function toAnchor(heading: string): string {
  return stripTags(heading)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/**
 * Returns a heading without tags. A heading can contain former anchors, such as `<a id="former-anchor"></a>`, so that
 * old links still work.
 */
export function stripTags(heading: string): string {
  return heading.replaceAll(/<[^>]*>/g, '').trim()
}

/**
 * Renders Markdown. The text must be from the contract or a guide, because HTML in it is not escaped. Those texts
 * contain no HTML except former anchors in headings.
 */
export function renderMarkdown(text: string): Html {
  return new Html(markdownRenderer.parse(text, { async: false }))
}

export function renderInlineMarkdown(text: string): Html {
  return new Html(markdownRenderer.parseInline(text, { async: false }))
}

export function renderCode(text: string): Html {
  return html`<pre class="lines"><code tabindex="0">${highlightCode(text)}</code></pre>`
}

export function renderJson(value: unknown): Html {
  return renderCode(JSON.stringify(value, null, 2))
}

/** Values that every documentation page needs. */
export interface Site {
  title: string
  version: string
  /** The URL at which users reach the service, without a trailing slash. */
  url: string
  /** The path of the documentation: `/docs`, after the path of the service if its URL has one. */
  docs: string
}

export interface Page {
  title: string
  /** The navigation entry of the page. */
  section: string
  content: Html
  /** The names of additional scripts under /docs/assets, besides those that all pages load. */
  scripts?: readonly string[]
  /** The table of contents of the reference, which becomes a menu in narrow windows. */
  contents?: Html
  /** The path of the list from which the page's forms get existing IDs, by ID prefix. */
  sources?: Record<string, string>
}

const SECTIONS = [
  ['', 'Reference'],
  ['/guides', 'Guides'],
  ['/skills', 'Skills'],
  ['/events', 'Events'],
  ['/problems', 'Problems'],
  ['/roles', 'Roles'],
  ['/glossary', 'Glossary'],
  ['/changelog', 'Changelog'],
] as const

export function renderDocsPage(site: Site, { title, section, content, scripts = [], contents, sources }: Page): string {
  const { docs } = site
  const entries = SECTIONS.map(
    ([path, name]) =>
      html`<a href="${docs}${path}"${section === path ? new Html(' aria-current="page"') : null}>${name}</a>`,
  )
  return html`<!doctype html>
<html lang="en" data-docs="${docs}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${site.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${docs}/assets/tokens.css">
<link rel="stylesheet" href="${docs}/assets/docs.css">
${[...scripts, 'docs.js'].map((name) => html`<script type="module" src="${docs}/assets/${name}"></script>\n`)}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${docs}">${LOGO}<span>${site.title} <small>${site.version}</small></span></a>
<nav aria-label="Documentation">${entries}</nav>
${contents === undefined ? null : html`<button type="button" class="btn menu" popovertarget="contents">Contents</button>\n`}<button type="button" class="btn find" id="find"><span>Search</span> <kbd>/</kbd></button>
</header>
<div class="${contents === undefined ? 'page' : 'page with-contents'}">
${contents === undefined ? null : html`<nav id="contents" aria-label="Contents" popover>\n${contents}</nav>\n`}<main id="content"${
    sources === undefined ? null : html` data-sources="${JSON.stringify(sources)}"`
  }>
${content}
</main>
</div>
<dialog id="finder" aria-label="Search the documentation">
<form method="dialog"><input type="search" id="words" placeholder="Operations, fields, guides, events, problems" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="true" aria-controls="found" aria-autocomplete="list"><button class="btn">Close</button></form>
<p id="told" role="status"></p>
<ul id="found" role="listbox" aria-label="Search results"></ul>
</dialog>
</body>
</html>
`.source
}

const LOGO = new Html(
  '<svg viewBox="0 0 24 24" width="20" height="20" fill="none" aria-hidden="true"><path d="M12 1v6" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/><path d="M9.75 7h4.5v2.5h-4.5zM7.25 10.5h9.5v4.2L12 23l-4.75-8.3z" fill="currentColor"/></svg>',
)
