import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { root, wholeContract } from '../../scripts/conformance/walked-contract.ts'

/** A text that users or integrators read, with the file or the part of the contract in which it occurs. */
interface Text {
  at: string
  text: string
}

/** A node of a syntax tree. The only property that all nodes share is the type. */
type Node = Readonly<Record<string, unknown>> & { readonly type: string }

const sources = ['server', 'web'].flatMap(filesIn).map((file) => ({ file, nodes: getNodes(file) }))
const details = sources.flatMap(({ file, nodes }) => nodes.flatMap((node) => detailsIn(file, node)))
const pages = sources
  .filter(
    ({ file }) =>
      file.startsWith('web/') || /^server\/interfaces\/(portal\/pages\/|oauth\/(consent-page|routes))/.test(file),
  )
  .flatMap(({ file, nodes }) => nodes.flatMap((node) => shownIn(file, node)))
const guides = ['docs', 'server/interfaces/docs/guides', 'client', 'mock'].flatMap(pagesIn)
const contract = [...getTexts(wholeContract.document, '')]

/** Words that the glossary replaces, each with the word to write instead. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\b(?:is|are|was|were|be|been|being|not) told\b/i, 'notified, reported'],
  [
    /\b(?:it|this|that|which|what|address|button|line|link|page|path|row|tab|URL) leads? to\b|\bleads? nowhere\b/i,
    'links to',
  ],
  [/\blets? (?:\w+ )?in\b|\bin no more\b/i, 'allow, sign in'],
  [/\bany more\b(?! than)/i, 'no longer'],
  [/\ball the same\b/i, 'anyway'],
  [/\b(?:comes|amounts) to (?:less|more|nothing)\b/i, 'totals'],
  [
    /\b(?:it|this|operation|order|payment|skill) takes (?:a|an|its|no|the)\b(?! (?:day|few|minute|moment|second|while))/i,
    'requires',
  ],
]

test('the detail of every problem is a complete sentence', () => {
  expect(details.length).toBeGreaterThan(300)
  expect(details.filter(({ text }) => !/^[A-Z"\d…]/.test(text) || !/[.?!…]$/.test(text)).map(shown)).toEqual([])
})

test('the detail of every problem example is a complete sentence', () => {
  const examples = contract.filter(({ at }) => at.endsWith('/detail'))
  expect(examples.length).toBeGreaterThan(40)
  expect(examples.filter(({ text }) => !/^[A-Z"\d]/.test(text) || !/[.?!]$/.test(text)).map(shown)).toEqual([])
})

test('no text of a page contains the name of a field, an event, or an operation', () => {
  expect(pages.length).toBeGreaterThan(500)
  expect(
    pages
      .filter(({ text }) => /(?<![\w./-])[a-z]+(?:[A-Z][a-z]+)+\b|\b[a-z]+[._][a-z]+_[a-z]+\b/.test(text))
      .map(shown),
  ).toEqual([])
})

test('no text for users contains a word that the glossary replaces', () => {
  const found = [...details, ...pages, ...guides, ...contract].flatMap(({ at, text }) =>
    FORBIDDEN.flatMap(([pattern, instead]) => {
      const match = pattern.exec(text)
      return match === null
        ? []
        : [
            `${at}: "${match[0]}" in "${text.slice(Math.max(0, match.index - 40), match.index + 60)}", write: ${instead}`,
          ]
    }),
  )
  expect(found).toEqual([])
})

function shown({ at, text }: Text): string {
  return `${at}: ${text}`
}

function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => /\.tsx?$/.test(file) && !/\.gen\.|\.test\.|node_modules|\/spanish\.ts$/.test(file))
}

function getNodes(file: string): Node[] {
  const lang = file.endsWith('x') ? 'tsx' : 'ts'
  return [...nodesIn(parseAst(readFileSync(path.join(root, file), 'utf8'), { lang, astType: 'ts' }))]
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each)
  else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) yield value
    yield* nodesIn(Object.values(value))
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/**
 * Returns the details of problems in a file. Everything that creates a problem accepts its detail as the second
 * argument.
 */
function detailsIn(file: string, node: Node): Text[] {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return []
  const { name } = node.callee as { name?: unknown }
  if (!['problem', 'conflict', 'Problem', 'conflictOf'].includes(String(name))) return []
  return literals((node.arguments as unknown[])[1]).map((text) => ({ at: file, text }))
}

/**
 * Returns the texts to which an expression can evaluate: literals, templates with … in place of values, and both
 * branches of a condition.
 */
function literals(value: unknown): string[] {
  if (!isNode(value)) return []
  if (value.type === 'Literal' && typeof value.value === 'string') return [value.value]
  if (value.type === 'ConditionalExpression') return [...literals(value.consequent), ...literals(value.alternate)]
  if (value.type !== 'TemplateLiteral') return []
  return [(value.quasis as { value: { cooked: string } }[]).map(({ value: { cooked } }) => cooked).join('…')]
}

/**
 * Returns the texts between tags and in properties. They contain a space or a capital letter; names for code contain
 * neither.
 */
function shownIn(file: string, node: Node): Text[] {
  const texts =
    node.type === 'JSXText'
      ? [String(node.value)]
      : node.type === 'Literal' || node.type === 'TemplateLiteral'
        ? literals(node)
        : []
  return texts
    .map((text) => ({ at: file, text: text.trim().replaceAll(/\s+/g, ' ') }))
    .filter(({ text }) => /^[A-Z][^<>{};]* [^<>{};]*$/.test(text))
}

/** Returns the texts of the pages in a folder, without code. */
function pagesIn(folder: string): Text[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/node_modules|\.gen\.|glossary/.test(file))
    .map((file) => {
      const text = readFileSync(path.join(root, folder, file), 'utf8')
      return {
        at: `${folder}/${file}`,
        text: text
          .replaceAll(/^```.*?^```/gms, '')
          .replaceAll(/`[^`]*`/g, '')
          .replaceAll(/\s+/g, ' '),
      }
    })
}

/** Yields the summaries, descriptions, and details in a document, each with its location. */
function* getTexts(value: unknown, at: string): Generator<Text> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) {
    const isText = name === 'summary' || name === 'description' || (name === 'detail' && 'code' in value)
    if (isText && typeof each === 'string') yield { at: `${at}/${name}`, text: each }
    else yield* getTexts(each, `${at}/${name}`)
  }
}
