// Searches operations, fields, schemas, skills, guides, events, and problems in the browser, including synonyms. The
// index is built at the first search.
const docs = document.documentElement.dataset.docs
const finder = document.getElementById('finder')
const words = document.getElementById('words')
const found = document.getElementById('found')
const told = document.getElementById('told')

/** The maximum number of results. Users do not read longer lists. */
const MOST = 40

const index = prepare()

export async function openSearchDialog() {
  if (!finder.open) finder.showModal()
  words.select()
  await show()
}

async function prepare() {
  const [{ default: MiniSearch }, answer] = await Promise.all([
    import(`${docs}/assets/minisearch.js`),
    fetch(`${docs}/search.json`),
  ])
  const entries = (await answer.json()).map(([kind, title, detail, address, text, also = ''], id) => ({
    ...{ id, kind, title, detail, address, text, also },
  }))
  const made = new MiniSearch({
    fields: ['title', 'detail', 'text', 'also'],
    storeFields: ['kind', 'title', 'detail', 'address', 'text'],
    // A search finds `createVendor` by its full name and by each word in the name.
    tokenize: (text) =>
      text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => {
        const parts = word.split(/(?<=[a-z0-9])(?=[A-Z])/)
        return parts.length > 1 ? [word, ...parts] : parts
      }),
    processTerm: (term) => (term.length > 1 ? term.toLowerCase() : null),
  })
  made.addAll(entries)
  return made
}

// Many of the thousands of fields have the same name as the record to which they refer. The record itself should rank
// higher.
const WEIGHTS = {
  ...{ Guide: 2.2, Basics: 2.2, Term: 2.6, Operation: 2, Event: 1.8, Problem: 1.8 },
  ...{ Object: 1.6, Schema: 1.6, Skill: 1.4, Field: 1 },
}
const OPTIONS = {
  boost: { title: 4, detail: 2, also: 4 },
  prefix: (term) => term.length > 2,
  combineWith: 'AND',
  boostDocument: (_id, _term, stored) => WEIGHTS[stored.kind],
}

/** Words that questions contain, as in "what is a scope". The search ignores them if the query also has other words. */
const QUESTION_WORDS = new Set('a an are can do does how i is my of the to what where which'.split(' '))

function omitQuestionWords(query) {
  const kept = query.split(/\s+/).filter((word) => !QUESTION_WORDS.has(word.toLowerCase()))
  return kept.length > 0 ? kept.join(' ') : query
}

let asked = 0
async function show() {
  const query = words.value.trim().slice(0, 200)
  const turn = ++asked
  if (query === '') return list([], 'Search names, paths and text. Use the arrow keys and Enter.')
  const made = await index
  // The user has changed the text since this search started.
  if (turn !== asked) return
  const asking = omitQuestionWords(query)
  const exact = made.search(asking, OPTIONS)
  if (exact.length > 0) return list(exact, exact.length === 1 ? '1 result' : `${exact.length} results`)
  const near = made.search(asking, { ...OPTIONS, combineWith: 'OR', fuzzy: 0.25 })
  const missing = `No results for “${query}”.`
  list(near.slice(0, 8), near.length > 0 ? `${missing} Similar results:` : `${missing} Try fewer or different words.`)
}

function list(entries, says) {
  told.textContent = says
  found.dataset.for = words.value
  found.replaceChildren(
    ...entries.slice(0, MOST).map(({ kind, title, detail, address, text }, at) => {
      const link = document.createElement('a')
      link.href = address
      link.id = `found-${at}`
      link.tabIndex = -1
      link.setAttribute('role', 'option')
      link.append(part('kind', kind), part('title', title), part('detail', detail), part('text', text.slice(0, 160)))
      const item = document.createElement('li')
      item.setAttribute('role', 'presentation')
      item.append(link)
      return item
    }),
  )
  select(0)
}

function part(name, text) {
  const span = document.createElement('span')
  span.className = name
  span.textContent = text
  return span
}

function select(at) {
  const links = [...found.querySelectorAll('a')]
  for (const [index, link] of links.entries()) link.setAttribute('aria-selected', String(index === at))
  const chosen = links[at]
  if (chosen === undefined) words.removeAttribute('aria-activedescendant')
  else words.setAttribute('aria-activedescendant', chosen.id)
  chosen?.scrollIntoView({ block: 'nearest' })
}

words.addEventListener('input', show)
words.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')]
  const at = links.findIndex((link) => link.getAttribute('aria-selected') === 'true')
  if (event.key === 'ArrowDown') select(Math.min(at + 1, links.length - 1))
  else if (event.key === 'ArrowUp') select(Math.max(at - 1, 0))
  else if (event.key === 'Enter') links[at]?.click()
  else return
  event.preventDefault()
})
found.addEventListener('click', ({ target }) => {
  if (target.closest('a') !== null) finder.close()
})
// A click on the backdrop has the dialog itself as its target.
finder.addEventListener('click', ({ target }) => {
  if (target === finder) finder.close()
})
