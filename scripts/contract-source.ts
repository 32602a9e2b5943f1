/**
 * Reads the source files of the contract. Finds the file and line of each part of the bundle, and parts of the files
 * that are not in the bundle.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import type { ContractDocument } from '../server/platform/calls/contract.ts'

export interface Line {
  file: string
  line: number
}

export interface ContractSource {
  files: { file: string; lines: number }[]
  /**
   * Returns the line of a part of the bundle. If the part is not in a source file, returns the line of the nearest part
   * around it that is.
   */
  lineOf(keys: readonly (string | number)[]): Line
  /** Returns components to which nothing refers, and paths, events, and skills that are not listed in openapi.yaml. */
  findUnpublished(document: ContractDocument): (Line & { name: string })[]
}

const INDEX_FILE = 'openapi.yaml'
/** The parts of a source file that openapi.yaml must list one by one. */
const LISTED_PARTS = ['paths', 'webhooks', 'x-skills']

interface SourceFile {
  file: string
  document: Document
  lines: LineCounter
}
interface Place {
  source: SourceFile
  node: Node
}

export function readContractSource(root = path.resolve(import.meta.dirname, '..')): ContractSource {
  const names = readdirSync(path.join(root, 'contract')).filter((name) => name.endsWith('.yaml'))
  const files = [INDEX_FILE, ...names.sort().map((name) => `contract/${name}`)].map((file) => readSource(root, file))
  const byName = new Map(files.map((source) => [source.file, source]))
  return {
    // Subtracts one, because the line counter also counts the empty line after the last newline.
    files: files.map(({ file, lines }) => ({ file, lines: lines.lineStarts.length - 1 })),
    lineOf,
    findUnpublished,
  }

  function lineOf(keys: readonly (string | number)[]): Line {
    const [kind, name] = [String(keys[1]), String(keys[2])]
    // Components can be in any file, because the bundle collects them.
    const home =
      keys[0] === 'components' ? files.find(({ document }) => document.hasIn(['components', kind, name])) : undefined
    const source = home ?? byName.get(INDEX_FILE)
    if (source === undefined || source.document.contents === null) return { file: INDEX_FILE, line: 1 }
    let place: Place = { source, node: source.document.contents }
    let line: Line = { file: source.file, line: 1 }
    for (const key of keys.map(String)) {
      const entry = entryAt(follow(place), key)
      if (entry === null) break
      line = findLine(entry.key)
      place = entry.value
    }
    return line
  }

  /** Resolves a node that is an alias or a `$ref`. */
  function follow({ source, node }: Place): Place {
    if (isAlias(node))
      return follow({ source, node: node.resolve(source.document) ?? source.document.createNode(null) })
    const reference = isMap(node) ? node.get('$ref') : undefined
    if (typeof reference !== 'string') return { source, node }
    const [file = '', pointer = ''] = reference.split('#/')
    const target = file === '' ? source : byName.get(path.posix.join(path.posix.dirname(source.file), file))
    const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const found = target?.document.getIn(keys, true)
    if (target === undefined || !isMap(found)) return { source, node }
    return follow({ source: target, node: found })
  }

  function entryAt({ source, node }: Place, key: string): { key: Place; value: Place } | null {
    if (isSeq(node)) {
      const item = node.items[Number(key)] as Node | undefined
      return item === undefined ? null : { key: { source, node: item }, value: { source, node: item } }
    }
    if (!isMap(node)) return null
    const pair = findPair(node, key)
    if (pair !== undefined) {
      const value = (pair.value ?? pair.key) as Node
      return { key: { source, node: pair.key as Node }, value: { source, node: value } }
    }
    const merged = findPair(node, '<<')?.value as Node | undefined
    return merged === undefined ? null : entryAt(follow({ source, node: merged }), key)
  }

  function findUnpublished(document: ContractDocument): (Line & { name: string })[] {
    const listed = new Set(
      LISTED_PARTS.flatMap((part) => {
        const entries = byName.get(INDEX_FILE)?.document.toJS({ maxAliasCount: -1 })[part] as
          | Record<string, { $ref?: string }>
          | undefined
        return Object.values(entries ?? {}).map(({ $ref }) => $ref)
      }),
    )
    return files.flatMap((source) => {
      const content = source.document.toJS({ maxAliasCount: -1 }) as Record<string, Record<string, object> | undefined>
      const components = Object.entries(content.components ?? {}).flatMap(([kind, named]) =>
        Object.keys(named)
          .filter((name) => document.components[kind]?.[name] === undefined)
          .map((name) => ['components', kind, name]),
      )
      const parts = (source.file === INDEX_FILE ? [] : LISTED_PARTS).flatMap((part) =>
        Object.keys(content[part] ?? {})
          .filter((name) => !listed.has(`${source.file}#/${part}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`))
          .map((name) => [part, name]),
      )
      return [...components, ...parts].map((keys) => {
        const map = source.document.getIn(keys.slice(0, -1), true)
        const pair = isMap(map) ? findPair(map, keys.at(-1) ?? '') : undefined
        const node = (pair?.key ?? source.document.contents) as Node
        return { ...findLine({ source, node }), name: keys.at(-1) ?? '' }
      })
    })
  }
}

function readSource(root: string, file: string): SourceFile {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(path.join(root, file), 'utf8'), { lineCounter: lines, merge: true })
  const [error] = document.errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  return { file, document, lines }
}

function findPair(map: YAMLMap, key: string) {
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.source ?? pair.key.value) === key)
}

function findLine({ source, node }: Place): Line {
  return { file: source.file, line: source.lines.linePos(node.range?.[0] ?? 0).line }
}
