/** The path prefix of the service, which the server wrote into the document; usually empty. */
export const root = document.documentElement.dataset.root ?? ''
