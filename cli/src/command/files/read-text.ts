import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import process from 'node:process'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { UsageError } from '../command.ts'

/** The size limit of an input file. At 30 links a minute, such a file takes more than a week. */
const MAX_MEBIBYTES = 64

/** How long to wait for the end of the input before printing that it is awaited, in milliseconds. */
const WAIT_MS = 2000

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** The text of a file, and its encoding. */
export interface Text {
  /** The text, without the byte order mark. */
  readonly text: string
  readonly encoding: Encoding
  /** Whether the file starts with a byte order mark. */
  readonly hasMark: boolean
}

/** Returns the name of a file for messages. */
export const getDisplayName = (path: string): string => (path === '-' ? 'standard input' : path)

/**
 * Reads a text file, or standard input for `-`.
 *
 * @throws {UsageError} if it is not text in UTF-8 or UTF-16, or is larger than 64 MiB
 */
export async function readTextFile(path: string): Promise<Text> {
  const name = getDisplayName(path)
  const bytes = await readFileBytes(path, name)
  // A zip file, as Excel, Numbers and LibreOffice write, or an .xls file.
  if (/^(PK\x03\x04|\xD0\xCF\x11\xE0)/.test(bytes.toString('latin1', 0, 4))) {
    throw new UsageError(
      `${name}: is a workbook or another zip file, expected text. In the spreadsheet, save it as "CSV UTF-8"`,
    )
  }
  const encoding = detectEncoding(bytes)
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const findLine = (character: string) => text.slice(0, text.indexOf(character)).split('\n').length
  if (text.includes('\0')) {
    const expected = 'Expected UTF-8, or UTF-16 with its byte order mark'
    throw new UsageError(`${name}, line ${findLine('\0')}: has NUL bytes, so it is not text. ${expected}`)
  }
  // Otherwise, text in an older encoding would be sent with wrong letters.
  if (encoding === 'utf-8' && !isUtf8(bytes)) {
    const expected = 'expected UTF-8 or UTF-16. In a spreadsheet, save the file as "CSV UTF-8"'
    throw new UsageError(`${name}, line ${findLine('\uFFFD')}: ${expected}`)
  }
  const hasMark = text.startsWith('\uFEFF')
  return { text: hasMark ? text.slice(1) : text, encoding, hasMark }
}

function detectEncoding(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

export function encode({ text, encoding, hasMark }: Text): Buffer {
  const marked = hasMark ? `\uFEFF${text}` : text
  if (encoding === 'utf-8') return Buffer.from(marked)
  const bytes = Buffer.from(marked, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, expected a file',
}

async function readFileBytes(path: string, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const waitingTimer = setTimeout(() => console.error(toPrintable(`${name}: waiting for input`)), WAIT_MS)
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > MAX_MEBIBYTES * 2 ** 20) break
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new UsageError(`${name}: ${fileErrors[code] ?? message}`)
  } finally {
    clearTimeout(waitingTimer)
  }
  if (size > MAX_MEBIBYTES * 2 ** 20) {
    throw new UsageError(`${name}: is larger than ${MAX_MEBIBYTES} MiB. Split it into several files`)
  }
  return Buffer.concat(chunks)
}
