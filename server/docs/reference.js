// Shows the reference with Swagger UI, and adds code samples to each operation.
const docs = document.documentElement.dataset.docs
const contents = document.querySelector('.contents')
const narrow = matchMedia('(max-width: 64rem)')
contents.open = !narrow.matches

const [contract, samples] = await Promise.all(
  ['openapi.json', 'samples.json'].map(async (name) => (await fetch(`${docs}/${name}`)).json()),
)
// Swagger UI warns about every dialect but its own, and the events have a separate page.
const { jsonSchemaDialect: _, webhooks: __, ...shown } = contract
// Problems are described in their catalogue; an operation lists the ones it may answer with, and links there.
const answers = [
  ...Object.values(shown.components.responses),
  ...Object.values(shown.paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) => Object.values(responses ?? {})),
  ),
]
for (const answer of answers) {
  const codes = Object.keys(answer.content?.['application/problem+json']?.examples ?? {})
  if (codes.length === 0) continue
  answer.description += ` ${codes.map((code) => `[\`${code}\`](${docs}/problems/${code})`).join(', ')}`
  delete answer.content
  delete answer.headers
}
// Swagger UI does not resolve references in parameters that the operations of a path share.
for (const { parameters: shared = [], ...operations } of Object.values(shown.paths)) {
  for (const operation of Object.values(operations)) operation.parameters = [...shared, ...(operation.parameters ?? [])]
}
for (const item of Object.values(shown.paths)) delete item.parameters
// Requests go to the host that the page came from, under whatever name it was reached.
shown.servers = [{ url: location.origin + docs.replace(/\/docs$/, '') }]

const LANGUAGES = { curl: 'curl', typescript: 'TypeScript' }

function withSamples() {
  return {
    wrapComponents: {
      responses: (Responses, { React }) => {
        const { createElement: h, Fragment, useState } = React
        function Samples({ path, method }) {
          const [language, choose] = useState(localStorage.getItem('language') ?? 'curl')
          const [isCopied, setCopied] = useState(false)
          const lines = samples[contract.paths[path][method].operationId][language]
          const pick = (name) => () => {
            localStorage.setItem('language', name)
            choose(name)
          }
          const copy = async () => {
            await navigator.clipboard.writeText(lines)
            setCopied(true)
            setTimeout(() => setCopied(false), 2000)
          }
          const tabs = Object.entries(LANGUAGES).map(([name, label]) =>
            h('button', { key: name, type: 'button', 'aria-pressed': name === language, onClick: pick(name) }, label),
          )
          return h(
            'div',
            { className: 'samples' },
            h('div', { className: 'tabs' }, h('h4', null, 'Code samples'), tabs),
            h(
              'pre',
              { className: 'lines' },
              h('code', null, lines),
              h('button', { type: 'button', className: 'copy', onClick: copy }, isCopied ? 'Copied' : 'Copy'),
            ),
          )
        }
        return (props) => h(Fragment, null, h(Samples, props), h(Responses, props))
      },
    },
  }
}

const ui = SwaggerUIBundle({
  spec: shown,
  dom_id: '#reference',
  deepLinking: true,
  // Tags open one by one: a long list of operations is drawn only in part, and a link into it may find nothing.
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  plugins: [withSamples],
})

// Swagger UI reads the address only once, but the table of contents changes it later.
addEventListener('hashchange', () => {
  ui.getSystem().layoutActions.parseDeepLinkHash(location.hash)
  if (narrow.matches) contents.open = false
})

const find = document.getElementById('find')
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/)
  for (const section of contents.querySelectorAll('section')) {
    let any = false
    for (const entry of section.querySelectorAll('li')) {
      entry.hidden = !words.every((word) => entry.dataset.words.includes(word))
      any ||= !entry.hidden
    }
    section.hidden = !any
  }
  for (const group of contents.querySelectorAll('.group')) {
    group.hidden = group.querySelector('section:not([hidden])') === null
  }
})
