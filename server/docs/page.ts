import { Marked } from 'marked'

/** HTML that is safe to send: `html` has escaped everything inserted into it, except other Html. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Part = Html | string | number | null | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? written(parts[i] ?? null) : '')).join(''))
}

function written(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.source
  if (typeof part === 'object') return part.map(written).join('')
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const marked = new Marked({ renderer: { code: ({ text }) => `${code(text).source}\n` } })

/** The contract's texts and the guides are our own Markdown, without HTML in it. */
export function markdown(text: string): Html {
  return new Html(marked.parse(text, { async: false }))
}

export function inline(text: string): Html {
  return new Html(marked.parseInline(text, { async: false }))
}

export function code(text: string): Html {
  return html`<pre class="lines"><code>${text}</code></pre>`
}

export function json(value: unknown): Html {
  return code(JSON.stringify(value, null, 2))
}

/** What every page of the documentation needs. */
export interface Site {
  title: string
  version: string
  /** The URL at which users reach the service, without a slash at the end. */
  url: string
  /** The path of the documentation: `/docs`, below the path of the service if it has one. */
  docs: string
}

export interface Page {
  title: string
  /** The entry of the navigation that it belongs to. */
  section: string
  content: Html
  /** Its own scripts, in addition to that of all pages, by their names under /docs/assets. */
  scripts?: readonly string[]
  /** A third-party script with its style. */
  library?: { script: string; style: string }
  /** Uses the whole width of the window. */
  isWide?: boolean
}

const SECTIONS = [
  ['', 'Reference'],
  ['/guides', 'Guides'],
  ['/problems', 'Problems'],
  ['/events', 'Events'],
  ['/roles', 'Roles'],
  ['/changelog', 'Changelog'],
] as const

export function layout(site: Site, { title, section, content, scripts = [], library, isWide = false }: Page): string {
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
<title>${title} · ${site.title}</title>
<link rel="icon" href="data:,">
${
  library === undefined
    ? null
    : html`<link rel="stylesheet" href="${docs}/assets/${library.style}">
<script src="${docs}/assets/${library.script}" defer></script>\n`
}<link rel="stylesheet" href="${docs}/assets/docs.css">
${[...scripts, 'docs.js'].map((name) => html`<script type="module" src="${docs}/assets/${name}"></script>\n`)}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${docs}">${site.title} <small>${site.version}</small></a>
<nav aria-label="Documentation">${entries}<a href="${docs}/openapi.json">openapi.json</a></nav>
</header>
<main id="content"${isWide ? new Html(' class="wide"') : null}>
${content}
</main>
</body>
</html>
`.source
}
