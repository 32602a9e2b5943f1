import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { Collection } from 'postman-collection'
import { beforeAll, describe, expect, test } from 'vitest'
import { contract, listEntriesAtPath } from '../../scripts/conformance/walked-contract.ts'
import { compile } from '../support/compile.ts'
import { runLines, runSamples } from '../support/shell.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

let plumbline: TestPlumbline

const read = (path: string) => plumbline.get(path, { key: null })

/** Anchors that headings in the guides had before. Other websites may link to them. */
const FORMER_ANCHORS: Record<string, string> = {
  accounting: 'what-is-due what-became-of-it everything-you-already-have where-the-two-differ payments a-key-for-it',
  agents:
    'run-a-skill give-a-model-the-tools text-from-outside connect-an-mcp-client sign-in-instead-of-a-key let-a-person-decide what-helps-a-model',
  bidding: 'ask-for-prices take-in-the-bids compare award-first-without-a-trace from-here',
  browser:
    'the-mock-first the-deployment-lets-the-page-in a-server-that-makes-tokens renewal-and-retries-for-people-who-wait react-hooks limits hear-of-changes files-and-images',
  'first-call':
    'a-key who-am-i read-a-list create-something change-it see-a-refusal in-typescript a-new-secret-without-a-gap',
  idempotency: 'send-a-key the-rules when-to-retry changes-that-others-make',
  limits: 'what-is-left when-nothing-is-left how-to-need-less closed-connections',
  mock: 'ask-for-a-case be-slow-and-fail skills find-again-what-was-created webhooks',
  'other-languages': 'python c what-we-have-tried what-no-generated-client-does',
  paging: 'page-after-page with-what-the-records-lead-to only-what-has-changed a-single-record-unless-it-is-unchanged',
  paying:
    'an-order-with-retainage what-is-done-decides-what-can-be-paid a-payment-withholds the-retainage-is-released around-it',
  'webhooks-in-production':
    'a-subscription-of-its-own answer-first-work-later order a-new-secret-without-a-gap watch-it after-an-outage before-you-need-it',
  webhooks: 'a-receiver a-subscription an-event without-an-address-on-the-internet what-you-can-rely-on in-typescript',
}

/** Tests the content of the documentation pages, and whether the code on them works as described. */
export function testPages(service: () => TestPlumbline): void {
  beforeAll(() => {
    plumbline = service()
  })

  describe('the pages', () => {
    test('docs pages require no key and load resources only from the service', async () => {
      for (const path of [
        '/docs',
        '/docs/problems',
        '/docs/reference/vendors',
        '/docs/skills',
        '/docs/events',
        '/docs/guides',
        '/docs/roles',
        '/docs/glossary',
        '/docs/changelog',
      ]) {
        const { status, headers } = await read(path)
        expect([path, status]).toEqual([path, 200])
        expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
        const policy = headers.get('content-security-policy') ?? ''
        expect(policy).toMatch(/default-src 'none'/)
        expect(policy).not.toMatch(/unsafe|https?:|\*/)
      }
    })

    test('docs pages link only to existing pages and anchors', async () => {
      const bodies = new Map<string, string>()
      const broken: string[] = []
      const waiting = ['/docs']
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        if (bodies.has(path)) continue
        const response = await fetch(plumbline.url + path, { redirect: 'manual' })
        const isHtml = response.headers.get('content-type')?.startsWith('text/html') === true
        bodies.set(path, isHtml ? await response.text() : '')
        if (response.status !== 200 && response.status !== 302) broken.push(`${path}: ${response.status}`)
        for (const [, target = ''] of bodies.get(path)?.matchAll(/(?:href|src)="([^"]+)"/g) ?? []) {
          const url = new URL(target, plumbline.url + path)
          if (url.origin === plumbline.url) waiting.push(url.pathname)
        }
      }
      const places = new Map([...bodies].map(([path, body]) => [path, new Set(matchValues(body, ID_PATTERN))]))
      for (const [path, body] of bodies) {
        for (const [, target = ''] of body.matchAll(/href="([^"]+)"/g)) {
          const url = new URL(target, plumbline.url + path)
          const place = decodeURIComponent(url.hash.slice(1))
          if (url.origin !== plumbline.url || place === '') continue
          if (places.get(url.pathname)?.has(place) !== true) broken.push(`${path}: ${target}`)
        }
      }
      expect(broken).toEqual([])
      // A URL with only the name of an operation redirects to the operation's section.
      for (const { id } of contract.operations.values()) {
        const { headers } = await fetch(`${plumbline.url}/docs/operations/${id}`, { redirect: 'manual' })
        const place = new URL(headers.get('location') ?? '', plumbline.url)
        expect([id, place.hash]).toEqual([id, `#${id}`])
        expect([id, places.get(place.pathname)?.has(id)]).toEqual([id, true])
      }
      // The number includes the pages, each problem, each guide, and the operations that the pages mention.
      expect(bodies.size).toBeGreaterThan(40)
    })

    test('docs pages keep the former anchors of guides', async () => {
      const missing: string[] = []
      for (const [guide, anchors] of Object.entries(FORMER_ANCHORS)) {
        const { body } = await read(`/docs/guides/${guide}`)
        const places = new Set(matchValues(body, ID_PATTERN))
        for (const anchor of anchors.split(' ')) if (!places.has(anchor)) missing.push(`${guide}#${anchor}`)
      }
      expect(missing).toEqual([])
    })

    test('docs assets are sent compressed, and a request for an unchanged asset returns 304', async () => {
      const first = await fetch(`${plumbline.url}/docs/assets/minisearch.js`)
      expect(first.headers.get('content-encoding')).toBe('gzip')
      const etag = first.headers.get('etag') ?? ''
      const again = await fetch(`${plumbline.url}/docs/assets/minisearch.js`, {
        headers: { 'if-none-match': etag },
      })
      expect(again.status).toBe(304)
    })

    test('the docs page for a link that no longer exists links to the guides', async () => {
      for (const path of ['/docs/nope', '/docs/guides/nope/nope', '/docs/operations/nope']) {
        const response = await fetch(plumbline.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
        const page = await response.text()
        expect([path, response.status]).toEqual([path, 404])
        expect(page).toContain('<h1>Page not found</h1>')
        expect(page).toContain('href="/docs/guides"')
      }
    })

    test('a docs URL without a page returns unknown_path', async () => {
      for (const path of [
        '/docs/nothing',
        '/docs/problems/nothing',
        '/docs/guides/..%2f..%2fapp',
        '/docs/operations/nothing',
      ]) {
        const { status, body } = await read(path)
        expect([path, status, body.code]).toEqual([path, 404, 'unknown_path'])
      }
    })
  })

  test('the reference contains the same operations and schemas as the published contract', async () => {
    const { body } = await read('/docs/openapi.json')
    const { body: published } = await plumbline.get('/api/ext/schema/openapi.json')
    expect(body.paths).toMatchObject(published.paths)
    expect(body.components.schemas).toMatchObject(published.components.schemas)
    // The document also contains the operations for vendors, but no others.
    const others = Object.keys(body.paths).filter((path) => !(path in published.paths))
    expect(others).toEqual(
      [...new Set([...contract.operations.values()].map(({ path }) => path))].filter((path) =>
        path.startsWith('/api/portal/'),
      ),
    )
    expect(Object.keys(published.paths).every((path) => path.startsWith('/api/ext/'))).toBe(true)
    expect(Object.keys(published.components.securitySchemes)).toEqual(['apiKey'])
  })

  test('in the reference, every field of a body or parameter has its own anchor', async () => {
    const pages = new Map<string, { html: string; places: Map<string, number>; names: Set<string> }>()
    const { body: entries } = await read('/docs/search.json')
    const missing: string[] = []
    for (const [kind, title, , address, words] of entries as string[][]) {
      const { pathname, hash } = new URL(address ?? '', plumbline.url)
      let page = pages.get(pathname)
      if (page === undefined) {
        const { body: html } = await read(pathname)
        page = {
          html,
          places: countValues(matchValues(html, ID_PATTERN)),
          names: new Set(matchValues(html, CODE_PATTERN)),
        }
        pages.set(pathname, page)
      }
      if (hash !== '' && page.places.get(decodeURIComponent(hash.slice(1))) !== 1)
        missing.push(`${kind} ${title}: ${address}`)
      if (kind === 'Field' && !page.names.has(title ?? '')) missing.push(`${title}: ${words}`)
    }
    expect(missing).toEqual([])
    // The pages describe text formats in words. A pattern is shown only if the contract does not describe the format.
    expect([...pages.values()].map(({ html }) => html).join('')).not.toContain('Pattern: <code>\\S</code>')
    expect(pages.get('/docs/reference/vendors')?.html).toContain('Must not be blank.')
    const kinds = new Set((entries as string[][]).map(([kind]) => kind))
    expect([...kinds].sort()).toEqual([
      ...['Basics', 'Event', 'Field', 'Guide', 'Object', 'Operation', 'Problem', 'Schema', 'Skill', 'Term'],
    ])
    const { body: vendors } = await read('/docs/reference/vendors')
    expect(toPlainText(vendors)).toContain('Last four characters of the tax ID. Null if there is no tax ID.')
  })

  test('the reference page of a batch operation shows the fields of its rows', async () => {
    const batches = [...contract.operations.keys()].filter((id) => id.startsWith('sync'))
    expect(batches).toContain('syncVendors')
    for (const id of batches) {
      const page = await (await fetch(`${plumbline.url}/docs/operations/${id}`)).text()
      const [, section = ''] = page.split(`<section class="operation" id="${id}">`)
      const [about = ''] = section.split('</section>')
      expect(about).toMatch(new RegExp(`id="${id}[.]body[.]rows[.]\\w+"`))
      expect(toPlainText(about)).not.toContain('object or object')
    }
  })

  test("the demo builder's key is returned only to a docs page in a browser on the same machine", async () => {
    const file = path.join(plumbline.config.dataDir, 'demo.json')
    writeFileSync(file, JSON.stringify({ key: 'plb_demo' }))
    const ask = (headers: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const all = { 'sec-fetch-site': 'same-origin', ...headers }
        const requested = request(`${plumbline.url}/docs/demo-key`, { headers: all, agent: false }, (response) => {
          text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject)
        })
        requested.on('error', reject).end()
      })
    try {
      expect(await ask({})).toBe('200 {"key":"plb_demo"}')
      const foreigners: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'none' },
        { host: 'rebound.example.com' },
        { 'x-forwarded-for': '127.0.0.1' },
        { forwarded: 'for=127.0.0.1' },
      ]
      for (const foreign of foreigners) expect([foreign, await ask(foreign)]).toEqual([foreign, '204 '])
    } finally {
      rmSync(file)
    }
    expect(await ask({})).toBe('204 ')
  })

  test('the requests in the Postman collection match the contract', async () => {
    const { status, body } = await read('/docs/postman.json')
    expect(status).toBe(200)
    expect(body.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
    // Reads the collection with Postman's own code.
    const collection = new Collection(body)
    const imported = new Map<string, string>()
    collection.forEachItem((item) => {
      const [id = ''] = String(item.request.description?.toString()).split('. ', 1)
      const url = item.request.url.toString().replace('{{baseUrl}}', String(collection.variables.get('baseUrl')))
      const found = contract.match(item.request.method, new URL(url).pathname)
      imported.set(id, found.operation?.id ?? url)
      const credential = item.getAuth()?.parameters().get('token')
      expect([id, credential]).toEqual([id, found.operation?.schemes.has('apiKey') ? '{{key}}' : '{{portalToken}}'])
      const sent = item.request.body?.raw
      expect([id, sent === undefined || typeof JSON.parse(sent) === 'object']).toEqual([id, true])
      expect([id, item.responses.all().every(({ code }) => code >= 200 && code < 300)]).toEqual([id, true])
    })
    expect([...imported].filter(([id, found]) => id !== found)).toEqual([])
    expect([...imported.keys()].sort()).toEqual([...contract.operations.keys()].sort())
  })

  describe('the problem catalog', () => {
    test("the problem catalog has an entry with the contract's text for every code", async () => {
      const { body: catalogue } = await read('/docs/problems')
      for (const [code, { when, advice }] of listEntriesAtPath('x-problems')) {
        expect(catalogue).toContain(`/docs/problems/${code}"`)
        const { status, body } = await read(`/docs/problems/${code}`)
        expect([code, status]).toEqual([code, 200])
        for (const text of [when, advice])
          expect(toPlainText(body)).toContain(toPlainText(String(text).replaceAll('`', '')))
      }
    })

    test('the problem catalog explains each conflict reason', async () => {
      const declared = contract.document.components.schemas?.ConflictReason ?? {}
      const { enum: reasons, description } = declared as { enum: string[]; description: string }
      const { body } = await read('/docs/problems/conflict')
      const shown = [...body.matchAll(/<tr id="(\w+)"><td><code>\1<\/code><\/td><td>(.+?)<\/td>/g)]
      expect(shown.map(([, reason]) => reason)).toEqual(reasons)
      for (const [, reason, meaning] of shown)
        expect(description).toContain(`\`${reason}\`: ${toPlainText(meaning ?? '')}`)
    })

    test('the type of every problem links to its entry in the problem catalog', async () => {
      const { body: problem } = await plumbline.get('/api/ext/vendors/ven_nothing')
      const response = await fetch(problem.type)
      expect(response.status).toBe(200)
      const page = await response.text()
      for (const part of [problem.code, problem.title, String(problem.status)]) expect(page).toContain(part)
    })
  })

  test('the event catalog has a sample of every event', async () => {
    const { body } = await read('/docs/events')
    const types = listEntriesAtPath('webhooks')
    expect(types).toHaveLength(57)
    for (const [type] of types) {
      expect(body).toContain(`id="${type}"`)
      expect(toPlainText(body)).toContain(`"type": "${type}"`)
    }
    const sectionOf = (type: string) => body.split(`<section id="${type}">`)[1]?.split('</section>')[0]
    for (const [type] of types)
      expect([type, sectionOf(type)]).not.toEqual([type, expect.stringContaining('Not available')])
  })

  test('the changelog page lists every release', async () => {
    const { body } = await read('/docs/changelog')
    for (const [, { version }] of listEntriesAtPath('x-changelog')) expect(body).toContain(`id="${version}"`)
  })

  test('the changelog feed has an entry for each release', async () => {
    const { headers, body } = await read('/docs/changelog.atom')
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const entries = String(body).split('<entry>').slice(1)
    const versions = listEntriesAtPath('x-changelog').map(([, { version }]) => version)
    expect(entries.map((entry) => /<title>(.*)<\/title>/.exec(entry)?.[1])).toEqual(versions)
    for (const entry of entries) {
      expect(entry).toMatch(/<id>http:.*\/docs\/changelog#\d+\.\d+\.\d+<\/id>/)
      expect(entry).toMatch(/<updated>\d{4}-\d{2}-\d{2}T00:00:00Z<\/updated>/)
      expect(entry).toContain('<content type="text">added: ')
    }
    // Every special character is escaped, so that no text ends an element by accident.
    expect(String(body).match(/&(?!amp;|lt;|gt;|quot;)/g)).toBeNull()
  })

  test('every link in llms.txt to an operation or a guide points to an existing page', async () => {
    const { headers, body } = await read('/llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(/^# Plumbline\n\n> .+\n\n/)
    const links = new Map(
      [...String(body).matchAll(/^- \[([^\]]+)\]\(([^)]+)\): .+$/gm)].map(([, name, to]) => [name, to]),
    )
    const known = [...contract.operations.values()].filter(
      ({ path, schemes }) => path.startsWith('/api/ext/') && schemes.has('apiKey'),
    )
    expect(known.filter(({ id }) => !links.has(id))).toEqual([])
    const others = [...links].filter(([name]) => !known.some(({ id }) => id === name))
    for (const [name, to = ''] of others) {
      const { status } = await plumbline.get(new URL(to).pathname)
      // URLs for POST requests do not accept GET.
      expect([name, status]).toEqual([name, name === 'MCP' ? 405 : 200])
    }
  })

  describe('code samples', () => {
    const operations = [...contract.operations.values()]

    test('the curl sample of each operation sends a request that the service accepts as valid', async ({ skip }) => {
      const { body: samples } = await read('/docs/samples.json')
      const refused: unknown[] = []
      const vendor = await plumbline.post('/api/ext/vendors', {
        companyName: 'Brazos Framing',
        email: 'bids@brazos.example.com',
        scopes: ['framing'],
      })
      await plumbline.post(`/api/ext/vendors/${vendor.body.id}/invite`)
      const link = await plumbline.mailedLink(vendor.body.id)
      const env = { PLUMBLINE_KEY: plumbline.key, PORTAL_TOKEN: link.split('/').at(-1) ?? '' }
      const responses = await runSamples(
        operations.map(({ id }) => [id, samples[id].curl]),
        { before: `curl() { command curl -s -w '\\n%{http_code}' "$@"; }`, env },
      )
      if (responses === null) return skip()
      for (const { id } of operations) {
        const response = responses.get(id) ?? { code: -1, stdout: '' }
        const [, text = '', status = ''] = /^([\s\S]*)\n(\d{3})$/.exec(response.stdout) ?? []
        // The IDs in the examples do not exist here, and some of the names are already in use. No other errors may
        // occur.
        const { code } = Number(status) < 400 ? {} : JSON.parse(text)
        if (Number(status) >= 400 && !['not_found', 'unknown_reference', 'conflict'].includes(code))
          refused.push([id, status, text])
        if (status === '' || response.code !== 0) refused.push([id, response])
      }
      expect(refused).toEqual([])
    }, 120_000)

    test('the Python sample of each operation sends a valid request and uses only the standard library', async ({
      skip,
    }) => {
      const { body: samples } = await read('/docs/samples.json')
      const cwd = mkdtempSync(path.join(tmpdir(), 'plumbline-python-'))
      writeFileSync(path.join(cwd, 'samples.json'), JSON.stringify(samples))
      writeFileSync(path.join(cwd, 'all.py'), RUN_ALL_SAMPLES)
      const env = { PLUMBLINE_KEY: plumbline.key, PORTAL_TOKEN: await plumbline.newPortalToken() }
      const ran = await runLines('python3 all.py', { cwd, env, tools: ['python3'] })
      rmSync(cwd, { recursive: true })
      if (ran === null) return skip()
      expect(ran, ran.stderr).toMatchObject({ code: 0 })
      const printed = JSON.parse(ran.stdout) as Record<string, string>
      const codes = new Set(listEntriesAtPath('x-problems').map(([code]) => code))
      const refused = operations.flatMap(({ id }) => {
        const [code = ''] = (printed[id] ?? 'nothing').split(' ')
        const isFine = !codes.has(code) || ['not_found', 'unknown_reference', 'conflict'].includes(code)
        return isFine && printed[id] !== undefined ? [] : [`${id}: ${printed[id]}`]
      })
      expect(refused).toEqual([])
    }, 120_000)

    // This test runs last. The compiler blocks the process so long that the service may close its idle connections.
    test('the TypeScript sample of each operation compiles in strict mode', async () => {
      const { body: samples } = await read('/docs/samples.json')
      const files = Object.fromEntries(operations.map(({ id }) => [`${id}.ts`, samples[id].typescript]))
      const broken = Object.entries(compile(files)).filter(([, errors]) => errors.length > 0)
      expect(broken).toEqual([])
    }, 120_000)
  })
}

/**
 * A program that runs all samples in one process and prints each sample's output below its name. It ends at the first
 * failure.
 */
const RUN_ALL_SAMPLES = `
import contextlib, io, json, sys
printed = {}
for name, sample in json.load(open("samples.json")).items():
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(sample["python"], name, "exec"), {})
    except Exception as error:
        sys.exit(f"{name}: {error!r}")
    printed[name] = out.getvalue()
json.dump(printed, sys.stdout)
`

/** Finds the targets of links on a page. */
const ID_PATTERN = / id="([^"]*)"/g
const CODE_PATTERN = /<code>([^<]*)<\/code>/g

/** Reads each page only once, because hundreds of links point to its anchors. */
function matchValues(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, value = '']) => value)
}

function countValues(values: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function toPlainText(text: string): string {
  return text
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:#(\d+)|(\w+));/g, (_, number?: string, name?: string) =>
      number === undefined
        ? ({ quot: '"', lt: '<', gt: '>', amp: '&' }[name ?? ''] ?? '')
        : String.fromCharCode(Number(number)),
    )
    .replace(/\s+/g, ' ')
}
