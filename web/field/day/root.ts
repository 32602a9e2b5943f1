/** The path of the service on its host, which the server inserts into the document. It is usually empty. */
export const root = document.documentElement.dataset.root ?? ''
