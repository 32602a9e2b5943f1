// Scripts for all documentation pages: copy buttons, the language of the samples, and the search.
const root = document.documentElement

for (const block of document.querySelectorAll('.lines')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

function choose(language) {
  root.dataset.language = language
  for (const tab of document.querySelectorAll('[data-language][aria-pressed]'))
    tab.setAttribute('aria-pressed', String(tab.dataset.language === language))
}
const LANGUAGES = ['curl', 'typescript', 'python']
choose(LANGUAGES.find((name) => name === localStorage.getItem('language')) ?? 'curl')
document.addEventListener('click', ({ target }) => {
  const tab = target.closest('[data-language][aria-pressed]')
  if (tab === null) return
  // Samples above this one may change height, so keep the clicked element at the same position on the screen.
  const before = tab.getBoundingClientRect().top
  localStorage.setItem('language', tab.dataset.language)
  choose(tab.dataset.language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
})

// In narrow windows, close the menu after the user chooses an entry.
const contents = document.getElementById('contents')
contents?.addEventListener('click', ({ target }) => {
  if (target.closest('a') !== null && contents.matches(':popover-open')) contents.hidePopover()
})
contents?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
// Scrolling the menu to its current entry also scrolls the page. Scroll the page back.
if (location.hash === '') scrollTo(0, 0)

async function search() {
  const { openSearchDialog } = await import(`${root.dataset.docs}/assets/search.js`)
  openSearchDialog()
}
document.getElementById('find').addEventListener('click', search)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select') !== null
  const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
  if (!isAsked) return
  event.preventDefault()
  void search()
})
