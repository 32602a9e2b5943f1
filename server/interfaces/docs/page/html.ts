/** HTML that is safe to send. The tag `html` escapes every inserted value except `Html` values. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Part = Html | string | number | null | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? toHtmlText(parts[i] ?? null) : '')).join(''))
}

function toHtmlText(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.source
  if (typeof part === 'object') return part.map(toHtmlText).join('')
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
