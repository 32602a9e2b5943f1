import { type Html, html } from './html.ts'

/**
 * This one regular expression finds strings, numbers, keywords, and comments in all languages of the samples. It may
 * color a token wrongly, but never changes the text.
 */
const TOKEN =
  /(?<comment>(?<![^\s])(?:\/\/|# ).*)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<word>\b(?:import|from|const|await|async|for|of|if|else|try|except|with|as|def|return|new|null|true|false|None|True|False|export|function|catch|throw|while|do|done|in)\b|(?<![^\s])curl(?=\s))|(?<number>(?<![\w$.-])-?\d[\d.]*(?![\w.]))/g

const CLASSES = { comment: 'c', text: 's', word: 'k', number: 'n' } as const

export function highlightCode(text: string): Html {
  const parts: (Html | string)[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    const name = Object.entries(CLASSES).find(([each]) => each === kind)?.[1]
    if (name === undefined) continue
    parts.push(text.slice(end, match.index), html`<span class="${name}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${[...parts, text.slice(end)]}`
}
