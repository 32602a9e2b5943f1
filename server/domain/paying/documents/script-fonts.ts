import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'
import type { PdfFont } from '../../../platform/config/pdf-font.ts'
import { hasArabic, layOutWords } from './word-order.ts'

const requireFont = createRequire(import.meta.url)
const findFontFile = (name: string) => requireFont.resolve(`@expo-google-fonts/${name}.ttf`)

/** A font for a writing system that the default font does not support. The font also contains the European letters. */
interface ScriptFont {
  readonly letters: RegExp
  readonly plain: PdfFont
  readonly bold: PdfFont
}

const toFont = (path: string): PdfFont => ({ path: findFontFile(path), name: null })

const THAI: ScriptFont = {
  letters: /\p{Script=Thai}/u,
  plain: toFont('noto-sans-thai/400Regular/NotoSansThai_400Regular'),
  bold: toFont('noto-sans-thai/700Bold/NotoSansThai_700Bold'),
}

const DEVANAGARI: ScriptFont = {
  letters: /\p{Script=Devanagari}/u,
  plain: toFont('noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular'),
  bold: toFont('noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold'),
}

/**
 * The writing systems of Chinese, Japanese, and Korean. The fonts for these writing systems are large, so the operator
 * provides the font.
 */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u

/**
 * Returns the fonts for additional writing systems, including the operator's font for Chinese, Japanese, and Korean if
 * there is one.
 */
export function listScriptFonts(cjk: PdfFont | null): ScriptFont[] {
  return [THAI, DEVANAGARI, ...(cjk === null ? [] : [{ letters: CJK, plain: cjk, bold: cjk }])]
}

type Weight = 'plain' | 'bold'

/**
 * Returns a document class that draws each text in the font of its writing system. Uses one font for the entire text:
 * the font of the first additional writing system in the text.
 */
export function extendWithScriptFonts(Document: typeof PDFDocument, fonts: readonly ScriptFont[]): typeof PDFDocument {
  return class extends Document {
    // Declared without initialization: the constructor of the library already sets `weight`, and a class field would
    // overwrite that value.
    declare weight?: Weight

    override font(...args: [src: PDFKit.Mixins.PDFFontSource, familyOrSize?: string | number, size?: number]): this {
      const [source] = args
      if (source === 'plain' || source === 'bold') this.weight = source
      return Reflect.apply(super.font, this, args)
    }

    override text(text: string, ...rest: unknown[]): this {
      const [options] = rest.slice(-1)
      const ordered = this.#order(text, (typeof options === 'object' ? options : null) ?? {})
      return this.#inFontOf(text, () => Reflect.apply(super.text, this, [ordered, ...rest]))
    }

    override heightOfString(text: string, options?: PDFKit.Mixins.TextOptions): number {
      return this.#inFontOf(text, () => super.heightOfString(this.#order(text, options), options))
    }

    #order(text: string, options: PDFKit.Mixins.TextOptions = {}): string {
      if (!hasArabic(text)) return text
      const { width = this.page.width - this.page.margins.right - this.x } = options
      return layOutWords(text, width, (line) => this.widthOfString(line))
    }

    #inFontOf<Result>(text: string, draw: () => Result): Result {
      const { weight = 'plain' } = this
      const script = fonts.find(({ letters }) => letters.test(text))
      if (script === undefined) return draw()
      const { path, name } = script[weight]
      if (name === null) super.font(path)
      else super.font(path, name)
      const result = draw()
      super.font(weight)
      return result
    }
  }
}
