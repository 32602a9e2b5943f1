/**
 * Stores the files of the page, so that the page opens without a connection. The build inserts the constant FILES, a
 * list of file names, before this script. A new build has different file names, so the browser installs a new service
 * worker. The service worker stores no data; the page itself stores the day and the outbox.
 *
 * The script uses no library, because it does nothing else and its base path is known only after the service starts.
 */
const CACHE = `field ${FILES.join(' ')}`

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Bypasses the browser's cache, so that the document and the other files are from the same build.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' }))))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { scope } = self.registration
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return
  event.respondWith(caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? fetch(request)))
})
