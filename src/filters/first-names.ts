/** Common given names of several languages that are hardly ever anything else when capitalised before another name. */
export const firstNames: ReadonlySet<string> = new Set(
  `Aaron Abigail Adam Adrian Ahmed Aisha Alan Albert Alejandro Alex Alexander Alexandra Alexis Alice Alicia Alison Amanda
  Amelia Amit Amy Ana Anastasia Andrea Andreas Andrew Andrzej Angela Anita Anjali Ann Anna Anne Annette Anthony Antoine
  Antonio Arjun Arthur Ashley Astrid Barbara Beatrice Benjamin Bernard Beth Betty Bianca Björn Bob Brandon Brenda Brian
  Bruno Camille Carlos Carmen Carol Caroline Catherine Cecilia Charles Charlotte Cheryl Chiara Chris Christian Christina
  Christine Christopher Cindy Claire Clara Claudia Connor Craig Cristina Cynthia Daniel Daniela Danielle David Deborah
  Denise Dennis Derek Diana Diane Diego Dieter Dimitri Dmitri Donald Donna Dorothy Douglas Dylan Edward Eileen Elena
  Elizabeth Ella Ellen Emily Emma Enrique Eric Erika Ethan Eugene Eva Evelyn Fatima Felix Fernando Fiona Francesca
  Francesco Francis Francisco Frank Franz Fred Frederick Gabriel Gabriela Gareth Gary Geoffrey George Gerald Gianni
  Giovanni Giulia Giuseppe Gloria Gordon Greg Gregory Guillaume Gustavo Hannah Hans Harold Harriet Hassan Heather Heidi
  Heinrich Helen Helena Henry Hiroshi Hugo Ian Ibrahim Igor Ines Ingrid Irene Isaac Isabel Isabella Ivan Jack Jacob
  Jacqueline Jacques James Jamie Jan Jane Janet Janice Jason Javier Jean Jeffrey Jennifer Jeremy Jessica Jim Joan Joanna
  Joe Johan Johannes John Jonathan Jorge Jose José Joseph Joshua Joyce Juan Judith Julia Julian Julie Julien Jürgen Justin
  Karen Karin Karl Katarzyna Kate Katherine Kathleen Katie Kayla Keith Kelly Kenji Kenneth Kevin Khalid Kim Klaus Krishna
  Krzysztof Kyle Lars Laura Lauren Laurent Leah Leila Leonardo Liam Lina Linda Lisa Logan Louis Louise Luca Lucas Lucia
  Lucy Luigi Luis Lukas Magdalena Mahmoud Manuel Marco Marcus Margaret Maria María Marie Marina Mario Marta Martha Martin
  Mary Maryam Mateusz Matthew Matthias Maureen Megan Mei Melanie Melissa Michael Michał Michel Michelle Miguel Mikhail
  Mohamed Mohammed Monica Monika Muhammad Nancy Natalia Natalie Natasha Nathan Neha Nicholas Nicolas Nicole Nikolai Nina
  Noah Nora Olga Oliver Olivia Omar Oscar Pablo Pamela Patricia Patrick Paul Paula Pedro Peter Petra Philip Philippe
  Pierre Piotr Priya Rachel Rahul Raj Rajesh Ralph Ramon Raymond Rebecca Ricardo Richard Rita Robert Roberto Roger Roland
  Ronald Rosa Ruth Ryan Sabine Samantha Samuel Sandra Sanjay Sara Sarah Scott Sean Sebastian Sergei Sergio Sharon Sheila
  Simon Sofia Sonia Sophia Sophie Stefan Stefano Stephanie Stephen Steve Steven Stuart Sunita Susan Susanne Suzanne Svetlana
  Sven Sylvia Tamara Tanya Tatiana Teresa Theodore Theresa Thomas Tim Timothy Tom Tomasz Tony Tracy Ulrich Ursula Valentina
  Valerie Vanessa Vera Veronica Victor Victoria Vikram Vincent Vladimir Walter Wanda Wei Wendy William Wolfgang Xavier
  Yasmin Yolanda Yuki Yusuf Yvonne Zachary Zoe`
    .split(/\s+/)
    .filter(Boolean),
)
