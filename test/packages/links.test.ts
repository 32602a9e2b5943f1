import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

// The service fills in the links in its guides, and the tests of the documentation follow them.
const pages = globSync(['*.md', '{client,contract,docs,examples,mock,scripts}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

/** Returns the text of a page without its code blocks. */
const proseOf = (page: string) => readFileSync(path.join(root, page), 'utf8').replace(/^```.*?^```/gms, '')

/** Returns the anchors of a page: those that GitHub derives from headings, and the former anchors next to headings. */
function getAnchors(page: string): string[] {
  const prose = proseOf(page)
  const former = [...prose.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id = '']) => id)
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/<a id="[\w-]+"><\/a>/g, '')
      .trim()
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...former]
}

function leadsNowhere(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const linked = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(path.join(root, linked))) return true
  return anchor !== undefined && linked.endsWith('.md') && !getAnchors(linked).includes(anchor)
}

test('every link between Markdown pages points to a file and a heading', () => {
  const links = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
  )
  const own = links.filter(({ target }) => !/^(https?|mailto):/.test(target))
  expect(own.length).toBeGreaterThan(100)
  expect(own.filter(({ page, target }) => leadsNowhere(page, target))).toEqual([])
})

test('every path that a Markdown page shows in code format exists', () => {
  const named = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/`((?:client|contract|deploy|docs|mock|scripts|server|test|web)\/[\w./-]+)`/g)].map(
      ([, file = '']) => ({ page, file }),
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ file }) => !existsSync(path.join(root, file)))).toEqual([])
})
