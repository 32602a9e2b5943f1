// Forms that send the example requests of the API reference to this service, with the IDs of existing records. For an
// operation that changes data, the form offers a dry run first.
const { docs } = document.documentElement.dataset
const base = docs.replace(/\/docs$/, '')
const sources = JSON.parse(document.getElementById('content').dataset.sources)

/** The maximum length of a response that the page shows in full, in characters. */
const MOST_SHOWN = 100_000
const ID = /\b([a-z]{2,5})_[0-9a-hjkmnp-tv-z]{26}\b/g

for (const button of document.querySelectorAll('.btn.try')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const form = formFor(JSON.parse(button.dataset.request))
    button.replaceWith(form.element)
    form.element.querySelector('input, textarea, button').focus()
    await form.fill()
  })
}

let demoKey
/**
 * Returns the key that the user entered last. If there is none, returns the demo builder's key if this machine has one.
 */
async function knownKey(isPortal) {
  const kept = sessionStorage.getItem(isPortal ? 'portalToken' : 'key')
  if (kept !== null || isPortal) return kept ?? ''
  demoKey ??= fetch(`${docs}/demo-key`)
    .then((answer) => (answer.status === 200 ? answer.json() : { key: '' }))
    .then(({ key }) => key)
  return demoKey
}

function formFor(request) {
  const element = document.createElement('form')
  element.className = 'trying'
  const key = field('key', request.isPortal ? 'Token of a portal link' : 'API key', '')
  const inputs = new Map()
  element.append(key.label)
  for (const { name, where, value, isRequired } of request.parameters) {
    const input = field(name, where === 'path' ? `${name} (path)` : name, where === 'path' ? '' : value, isRequired)
    inputs.set(name, input.input)
    element.append(input.label)
  }
  const body = bodyField(request)
  if (body !== null) element.append(body.label)
  const dry = request.isSkill && !request.isUpload ? checkbox('Dry run: shows the result and saves nothing') : null
  if (dry !== null) element.append(dry.label)
  const send = document.createElement('button')
  send.className = 'btn primary'
  send.textContent = `Send ${request.method}`
  const note = document.createElement('p')
  note.className = 'note'
  note.setAttribute('role', 'status')
  const answer = document.createElement('div')
  answer.className = 'answer'
  answer.setAttribute('aria-live', 'polite')
  element.append(note, send, answer)

  element.addEventListener('submit', async (event) => {
    event.preventDefault()
    sessionStorage.setItem(request.isPortal ? 'portalToken' : 'key', key.input.value)
    send.disabled = true
    try {
      await show(
        answer,
        composed(request, { inputs, body: body?.input, isDry: dry?.input.checked === true }),
        key.input.value,
      )
    } catch (error) {
      answer.textContent = error.message
    }
    send.disabled = false
  })

  /** Enters the key and replaces each ID in the example with an existing ID. */
  async function fill() {
    key.input.value = await knownKey(request.isPortal)
    for (const { name, where, value } of request.parameters) if (where === 'path') inputs.get(name).value = value
    if (key.input.value === '' || request.isPortal) return
    note.textContent = 'Finding existing IDs…'
    const found = await existing(request, key.input.value)
    for (const input of [...inputs.values(), ...(body === null ? [] : [body.input])]) {
      if (input.type === 'file') continue
      input.value = input.value.replaceAll(ID, (id) => found.get(id) ?? id)
    }
    const missing = [...found].filter(([, id]) => id === null).length
    note.textContent = missing === 0 ? '' : 'Some of these IDs have no record yet. Create a record of this type first.'
    for (const code of element.closest('.operation').querySelectorAll('.samples code')) exchange(code, found)
  }
  return { element, fill }
}

// The service returns a key automatically only if it runs on this machine. Otherwise, the page sends no requests.
const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)
/**
 * The distance from the visible area at which a sample gets existing IDs, so that they are in place when the reader
 * reaches the sample.
 */
const NEAR = '600px'
const samples = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      samples.unobserve(target)
      void fillSamples(target)
    }
  },
  { rootMargin: NEAR },
)
if (isLocal) for (const section of document.querySelectorAll('.operation')) samples.observe(section)

/**
 * Replaces the IDs in the samples of an operation with existing IDs, so that readers can run the samples without
 * changes.
 */
async function fillSamples(section) {
  const button = section.querySelector('.btn.try')
  if (button === null) return
  const request = JSON.parse(button.dataset.request)
  const key = request.isPortal ? '' : await knownKey(false)
  if (key === '') return
  const found = await existing(request, key)
  for (const code of section.querySelectorAll('.samples code')) exchange(code, found)
}

/** Replaces the IDs in a sample with existing IDs. */
function exchange(code, found) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    node.data = node.data.replaceAll(ID, (id) => found.get(id) ?? id)
}

function field(name, text, value, isRequired = true) {
  const input = document.createElement('input')
  Object.assign(input, { name, value, autocomplete: 'off', spellcheck: false, required: isRequired })
  return labelled(text, input)
}

function bodyField({ body, isUpload }) {
  if (body === undefined) return null
  const input = document.createElement(isUpload ? 'input' : 'textarea')
  if (isUpload) Object.assign(input, { type: 'file', required: true })
  else {
    input.value = body === null ? '' : JSON.stringify(body, null, 2)
    input.rows = Math.min(14, input.value.split('\n').length + 1)
    input.spellcheck = false
  }
  return labelled(isUpload ? 'File' : 'Request body', input)
}

function labelled(text, input) {
  const label = document.createElement('label')
  label.append(text, input)
  return { label, input }
}

function checkbox(text) {
  const input = document.createElement('input')
  Object.assign(input, { type: 'checkbox', checked: true })
  const label = document.createElement('label')
  label.className = 'check'
  label.append(input, text)
  return { label, input }
}

/** Returns the request to send. For a dry run, this is a call of the skill that has the operation's name. */
function composed({ id, method, path, parameters, isUpload }, { inputs, body, isDry }) {
  const text = isUpload ? '' : (body?.value.trim() ?? '')
  const json = { 'content-type': 'application/json' }
  const given = parameters
    .map((each) => ({ ...each, value: inputs.get(each.name).value }))
    .filter(({ value }) => value !== '')
  if (isDry) {
    const own = given.map(({ name, value, isList }) => [name, isList ? value.split(',') : value])
    const input = { ...Object.fromEntries(own), ...(text === '' ? {} : parsed(text)) }
    const skill = JSON.stringify({ skill: id, input, dryRun: true })
    return { method: 'POST', target: '/api/ext/execute', headers: json, body: skill }
  }
  let target = path
  const query = new URLSearchParams()
  for (const { name, where, value } of given) {
    if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, value)
  }
  if (query.size > 0) target += `?${query}`
  if (isUpload) return { method, target, headers: { 'content-type': 'application/octet-stream' }, body: body.files[0] }
  if (text === '') return { method, target, headers: {} }
  parsed(text)
  return { method, target, headers: json, body: text }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The request body is not valid JSON: ${error.message}`)
  }
}

async function show(place, { method, target, headers, body }, key) {
  const started = performance.now()
  const response = await call(method, target, key, { headers, body })
  const text = await response.text()
  const took = Math.round(performance.now() - started)
  const type = response.headers.get('content-type') ?? ''
  const head = document.createElement('p')
  head.className = response.ok ? 'status ok' : 'status bad'
  head.textContent = `${response.status} ${response.statusText} in ${took} ms`
  const sent = document.createElement('p')
  sent.className = 'sent'
  sent.textContent = `${method} ${target}`
  const lines = document.createElement('pre')
  lines.className = 'lines'

  const code = document.createElement('code')
  code.tabIndex = 0
  const shown = ['etag', 'location', 'ratelimit', 'retry-after', 'x-request-id'].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const readable = /[/+]json/.test(type) && text !== '' ? JSON.stringify(JSON.parse(text), null, 2) : text
  const whole = `${shown.join('\n')}\n\n${readable}`
  code.textContent = whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}\n… (truncated)` : whole
  lines.append(code)
  place.replaceChildren(head, sent, lines)
}

/** Sends a request without the session of the signed-in user, so that the response depends only on the key. */
function call(method, target, key, { headers = {}, body } = {}) {
  return fetch(base + target, {
    ...{ method, body, credentials: 'omit', cache: 'no-store' },
    headers: { ...headers, authorization: `Bearer ${key}` },
  })
}

/** The maximum number of parent records to try. Several are tried, because the first may have no children. */
const MOST_PARENTS = 5
const lists = new Map()

/** Returns the first records of a list, or an empty list if the key may not read it. Requests each list only once. */
function firstOf(path, key) {
  const asked = `${key} ${path}`
  if (!lists.has(asked)) {
    const ids = call('GET', `${path}?limit=${MOST_PARENTS}`, key)
      .then((answer) => (answer.ok ? answer.json() : { data: [] }))
      .then(({ data }) => data.map(({ id }) => id))
      .catch(() => [])
    lists.set(asked, ids)
  }
  return lists.get(asked)
}

/** Returns an existing ID for each ID in an example request, or null if no such record exists. */
async function existing({ path, parameters, body }, key) {
  const found = new Map()
  await fillPath(path, parameters, key, found)
  const others = [...JSON.stringify([parameters, body ?? null]).matchAll(ID)]
  const taken = new Map()
  for (const [id, prefix] of others) {
    if (found.has(id)) continue
    const source = sources[prefix]
    const ids = source === undefined || source.includes('{') ? [] : await firstOf(source, key)
    // If two records exist, two different IDs in an example are replaced with the IDs of two different records.
    const at = taken.get(prefix) ?? 0
    taken.set(prefix, at + 1)
    found.set(id, ids[at] ?? ids[0] ?? null)
  }
  return found
}

/**
 * Replaces each ID in a path with the ID of the first record in its list. For a nested record, uses the first parent
 * that has children.
 */
async function fillPath(path, parameters, key, found) {
  const inPath = parameters.filter(({ where }) => where === 'path')
  const [outer, inner] = inPath
  const prefixOf = (value) => /^([a-z]+)_/.exec(value)?.[1]
  if (outer === undefined) return
  const source = sources[prefixOf(outer.value)]
  const ids = source === undefined || source.includes('{') ? await within(source, key) : await firstOf(source, key)
  found.set(outer.value, ids[0] ?? null)
  if (inner === undefined || sources[prefixOf(inner.value)] === undefined) return
  const list = path.slice(0, path.indexOf(`/{${inner.name}}`))
  for (const id of ids) {
    const [first] = await firstOf(list.replace(`{${outer.name}}`, id), key)
    if (first === undefined) continue
    found.set(outer.value, id)
    found.set(inner.value, first)
    return
  }
  found.set(inner.value, null)
}

/** Returns the IDs of a nested list, from the first parent that has children. */
async function within(source, key) {
  const [, parent] = /^(.*?)\/\{/.exec(source ?? '') ?? []
  if (parent === undefined) return []
  for (const id of await firstOf(parent, key)) {
    const ids = await firstOf(source.replace(/\{\w+\}/, id), key)
    if (ids.length > 0) return ids
  }
  return []
}
