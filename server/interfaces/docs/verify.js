// Runs the verifier of the client library on the contents of the form.
const form = document.getElementById('verify-form')
const verdict = document.getElementById('verdict')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { verifyWebhook } = await import(`${document.documentElement.dataset.docs}/assets/verify-webhook.js`)
  const { secret, id, timestamp, signature, body } = Object.fromEntries(new FormData(form))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  try {
    // The sample has an old timestamp, so verify it as of that time.
    const event = await verifyWebhook({ headers, body }, secret, { now: new Date(Number(timestamp) * 1000) })
    show(true, `The signature is valid. This is a delivery of ${event.type}, sent ${ago(Number(timestamp))}.`)
  } catch (error) {
    show(false, error.message)
  }
})

function show(isRight, text) {
  verdict.className = isRight ? 'right' : 'wrong'
  verdict.textContent = text
}

function ago(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60)
  const refused = Math.abs(minutes) > 5 ? ', which a receiver rejects as too old' : ''
  return `${new Date(seconds * 1000).toISOString()}${refused}`
}
